"""scikit-learn in the sandbox: a zygote of its own, all of it on one processor."""

from __future__ import annotations

import numpy as np
import pytest

from assay.sandbox import host
from tests.sandbox.conftest import program

FIT = """
import numpy as np
from sklearn.{module} import {name}

def f(X, y):
    model = {name}({options}).fit(X, y)
    return float(np.mean(model.predict(X) == y))
"""
MODELS = [
    ("ensemble", "GradientBoostingClassifier", "n_estimators=20"),
    ("ensemble", "HistGradientBoostingClassifier", "max_iter=20"),
    ("ensemble", "RandomForestClassifier", "n_estimators=20, n_jobs=1, random_state=0"),
    ("linear_model", "LogisticRegression", ""),
    ("svm", "SVC", ""),
    ("neighbors", "KNeighborsClassifier", ""),
    ("neural_network", "MLPClassifier", "max_iter=400, random_state=0"),
]


@pytest.mark.parametrize(("module", "name", "options"), MODELS)
def test_models_fit(sandbox, module, name, options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(np.int64)
    source = FIT.format(module=module, name=name, options=options)
    assert host.kind_for(source) == "sklearn"
    (accuracy,) = sandbox.run(program(source, X, y)).answers()
    assert accuracy > 0.85


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import numpy as np", "numpy"),
        ("import scipy", "scipy"),
        ("from scipy import linalg", "linalg"),
        ("import scipy.linalg as la", "linalg"),
        ("from scipy.linalg import cho_solve", "linalg"),
        ("from scipy import linalg, signal", "scipy"),
        ("from scipy import linalg\nfrom scipy.signal import lfilter", "scipy"),
        ("from scipy import signal", "scipy"),
        ("import sklearn", "sklearn"),
        ("import torch, sklearn", "torch"),
    ],
)
def test_each_program_is_served_by_the_smallest_kind_that_has_what_it_imports(source, kind):
    assert host.kind_for(source) == kind
