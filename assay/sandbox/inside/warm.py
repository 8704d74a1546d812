"""First calls of the libraries, made once in a zygote: what loads or starts late would be slow in each child, and fail in some.

A candidate's root has no /proc and /sys, and torch and OpenBLAS read there about the processor when they're first used.
"""

from __future__ import annotations

from collections.abc import Callable


def _warm_numpy() -> None:
    import numpy as np

    matrix = np.eye(3) + 0.1
    np.linalg.solve(matrix, matrix)
    np.linalg.svd(matrix)
    np.linalg.eigh(matrix)
    np.random.seed(0)
    np.random.default_rng(0).standard_normal(3)
    np.fft.rfft(matrix[0])
    repr(matrix), str(matrix @ matrix)


def _warm_linalg() -> None:
    import numpy as np
    from scipy import linalg

    _warm_numpy()
    linalg.solve(np.eye(3) + 0.1, np.ones(3))
    linalg.solve_triangular(*linalg.qr(np.eye(3) + 0.1)[::-1])
    linalg.cho_solve(linalg.cho_factor(np.eye(3) + 0.1), np.ones(3))
    linalg.expm(np.eye(2))


def _warm_scipy() -> None:
    import numpy as np
    from scipy import optimize, signal

    _warm_linalg()
    signal.lfilter([1.0], [1.0, 0.5], np.ones(4))
    optimize.minimize(lambda x: float(x[0] ** 2), [1.0], method="BFGS")


def _warm_sklearn() -> None:
    import numpy as np
    from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    _warm_scipy()
    X, y = np.arange(80.0).reshape(40, 2) % 7.0, np.arange(40) % 2
    for model in (
        GradientBoostingClassifier(n_estimators=2),
        HistGradientBoostingClassifier(max_iter=2),
        RandomForestClassifier(n_estimators=2),
        LogisticRegression(),
    ):
        make_pipeline(StandardScaler(), model).fit(X, y).predict_proba(X)


def _warm_torch() -> None:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    _warm_numpy()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3))
    images, classes = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 2, 0])
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):
        steps = optimizer(model.parameters(), lr=1e-3)
        for batch, target in DataLoader(TensorDataset(images, classes), batch_size=2, shuffle=True):
            steps.zero_grad()
            nn.functional.cross_entropy(model(batch), target).backward()  # type: ignore[no-untyped-call]
            steps.step()
    nn.MultiheadAttention(4, 2, batch_first=True)(*[torch.randn(1, 3, 4)] * 3)[0].sum().backward()
    repr(images), images.double() @ images.double().mT, torch.linalg.svd(torch.eye(3)), torch.fft.rfft(images).abs()


WARM: dict[str, Callable[[], None]] = {
    "numpy": _warm_numpy,
    "linalg": _warm_linalg,
    "scipy": _warm_scipy,
    "sklearn": _warm_sklearn,
    "torch": _warm_torch,
}
"""kind of zygote -> its warm-up"""
