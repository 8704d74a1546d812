"""Self-check of a solution on the example data: python check.py solution.py

It tells wrong types, shapes and malformed covariances, and prints how far the estimates are from the true states. It knows no exact
filter and none of the systems of the evaluation.
"""

import runpy
import sys
from pathlib import Path

import numpy as np

NAMES = ("A", "B", "C", "Q", "R", "U", "Y", "x0_mean", "x0_cov")


def main(path):
    """Print a line for each check; the exit status is 1 where one failed."""
    example = {file.stem: np.load(file) for file in (Path(__file__).parent / "example").glob("*.npy")}
    estimate = runpy.run_path(path)["estimate"]
    failures = 0
    for title, changes in (("example", {}), ("example with gaps and a singular R", harder(example))):
        arguments = {name: (example | changes)[name] for name in NAMES}
        print(title)
        problems = faults(estimate, arguments)
        failures += len(problems)
        for line in problems or report(estimate(*copies(arguments)), arguments, example["X"]):
            print("  " + line)
    sys.exit(1 if failures else 0)


def harder(example):
    """Other measurements of the same states: the sum of the positions is exact, some components and whole steps are missing."""
    rng = np.random.default_rng(0)
    R = np.tile(np.array([[0.125, -0.125], [-0.125, 0.125]]), (len(example["R"]), 1, 1))
    noise = np.sqrt(0.125) * rng.normal(size=example["Y"].shape[:2])[..., None] * np.array([1.0, -1.0])
    Y = example["X"] @ example["C"].T + noise
    Y[rng.random(Y.shape) < 0.3] = np.nan
    Y[:, 20:24] = np.nan
    return {"R": R, "Y": Y}


def copies(arguments):
    """Fresh arrays, in the order of the arguments."""
    return [arguments[name].copy() for name in NAMES]


def faults(estimate, arguments):
    """What breaks the contract, a line each."""
    (N, T, _), n = arguments["Y"].shape, len(arguments["A"])
    given = copies(arguments)
    answer = estimate(*given)
    if type(answer) is not tuple or len(answer) != 2:
        return ["FAILED: expected a tuple (X_hat, P)"]
    found = []
    for name, array, shape in zip(("X_hat", "P"), answer, ((N, T, n), (N, T, n, n)), strict=True):
        if type(array) is not np.ndarray or array.dtype != np.float64:
            found.append(f"FAILED: {name} must be a numpy.ndarray of float64, received {type(array).__name__}")
        elif array.shape != shape:
            found.append(f"FAILED: {name} must have the shape {shape}, received {array.shape}")
        elif not np.isfinite(array).all():
            found.append(f"FAILED: {name} must be finite")
    if found:
        return found
    P = answer[1]
    if np.abs(P - P.swapaxes(2, 3)).max() > 1e-6 * np.abs(P).max():
        found.append("FAILED: P must be symmetric")
    if np.linalg.eigvalsh(P).min() < -1e-6 * np.abs(P).max():
        found.append("FAILED: P must be positive semidefinite")
    if any(not np.array_equal(one, two, equal_nan=True) for one, two in zip(given, copies(arguments), strict=True)):
        found.append("FAILED: the arguments were changed")
    again = estimate(*copies(arguments))
    if any(np.abs(one - two).max() > 1e-9 for one, two in zip(answer, again, strict=True)):
        found.append("FAILED: a second call gave other numbers")
    return found


def report(answer, arguments, X):
    """Errors of the answer beside those of an estimate that knows no measurement."""
    A, B, U = arguments["A"], arguments["B"], arguments["U"]
    x, ahead = np.tile(arguments["x0_mean"], (len(X), 1)), np.empty_like(X)
    for k in range(X.shape[1]):
        ahead[:, k], x = x, x @ A.T + U[:, k] @ B.T
    errors = [np.sqrt(np.mean((guess - X) ** 2)) for guess in (answer[0], ahead)]
    spread = np.sqrt(np.mean(np.trace(answer[1], axis1=2, axis2=3) / X.shape[2]))
    return [
        "types, shapes and covariances: ok",
        f"root mean square error {errors[0]:.4f}, without measurements {errors[1]:.4f}, as P has it {spread:.4f}",
    ]


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "solution.py")
