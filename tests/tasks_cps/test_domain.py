"""The domain's probes and descriptors."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.cps import probes
from tasks.cps.descriptors import describe, of_code, of_run
from tests.tasks_cps import in_process
from tests.tasks_cps.in_process import FOLDER


def test_differences_of_nested_values():
    left = {"a": [1.0, np.ones(3)], "b": "safe", "c": None}
    assert probes.largest_difference(left, {"a": [1.0, np.ones(3) + 0.25], "b": "safe", "c": None}) == 0.25
    assert probes.largest_difference(left, left) == 0.0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.ones(2), np.ones(3)),
        (np.array([np.nan]), np.array([np.nan])),
        ("safe", "unsafe"),
        (None, 0.0),
        ([1.0], [1.0, 2.0]),
        ({"a": 1}, {"b": 1}),
    ],
)
def test_what_never_counts_as_equal(left, right):
    assert probes.largest_difference(left, right) == np.inf


def test_response_error_of_no_response_is_one_and_of_none_asked_infinite():
    x = np.arange(6.0)
    assert probes.response_error(x, x, 2 * x, x) == pytest.approx(1.0)
    assert probes.response_error(2 * x, x, 2 * x, x) == 0.0
    assert probes.response_error(x, x, x, x) == np.inf


def test_covariance_probes():
    good, bad = np.diag([1.0, 1e-12]), np.array([[1.0, 2.0], [0.0, 1.0]])
    assert probes.asymmetry(good) == 0.0 and probes.negativity(good) == 0.0
    assert probes.asymmetry(bad) == 1.0
    assert probes.negativity(np.diag([1.0, -0.5])) == 0.5


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("reference", "recursion with solves"),
        ("rewrites/square_root", "recursion with solves"),
        ("cheats/direct_regression", "least squares"),
        ("cheats/open_loop", "recursion"),
        ("cheats/zeros", "direct"),
    ],
)
def test_families(path, family):
    assert of_code((FOLDER / f"{path}.py").read_text())["family"] == family


def test_own_names_and_comments_do_not_count():
    plain = of_code("def f(x):\n    return g(x)\ndef g(x):\n    return x\n")
    dressed = of_code("# svd, fft\ndef f(x):\n    return lstsq(x)\ndef lstsq(x):\n    return x\n")
    assert plain == dressed


def test_bins_and_styles():
    small, large = of_code("x = 1"), of_code("\n".join(f"y{i} = {i} + x * 2" for i in range(400)))
    assert (small["size_bin"], large["size_bin"]) == (0, 5)
    assert of_code("def f(Y):\n    return [y for y in Y]")["style"] == "loop"
    assert of_code("def f(Y):\n    return Y @ Y.T")["style"] == "vectorised"


def test_descriptors_of_a_run():
    assert of_run({}) == of_run({"a_score": None, "b_score": float("nan"), "rmse": 3.0}) == {"skill": 0, "spread": 0}
    assert of_run({"a_score": 1.0, "b_score": 1.0}) == {"skill": 4, "spread": 0}
    assert of_run({"a_score": 0.6, "b_score": 0.6, "noise": 9.0}) == {"skill": 3, "spread": 0}
    assert of_run({"a_score": 1.0, "b_score": 0.0}) == {"skill": 2, "spread": 3}


def test_descriptors_of_a_judged_submission(made):
    judgement = in_process.judged(made(0, "easy"), (FOLDER / "reference.py").read_text())
    found = describe((FOLDER / "reference.py").read_text(), judgement.metrics)
    assert found["skill"] == 4 and found["spread"] == 0 and found["style"] == "loop"
