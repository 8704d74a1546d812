"""Runs a solution on the example: `python check.py solution.py`. Shapes, types, determinism, bounds, and the gap to the optimum.

It measures as the evaluation does, on one problem only; that problem is no part of the evaluation.
"""

import runpy
import sys
from pathlib import Path

import numpy as np

NAMES = ("A", "B", "Q", "R", "Qf", "N", "x0", "u_min", "u_max", "x_min", "x_max")
EXAMPLE = Path(__file__).parent / "example"


def load():
    """The arguments by name, N as an int, and the solution."""
    parts = {path.stem: np.load(path) for path in EXAMPLE.glob("*.npy")}
    parts["N"] = int(parts["N"])
    return parts


def answer_of(solve_mpc, example):
    """U and flags of one call, or SystemExit with what is wrong about them."""
    answer = solve_mpc(*(np.copy(example[name]) if name != "N" else example[name] for name in NAMES))
    if type(answer) is not tuple or len(answer) != 2:
        sys.exit(f"expected a tuple (U, feasible), got {type(answer).__name__}")
    U, feasible = answer
    if type(U) is not np.ndarray or U.shape != example["U"].shape or U.dtype.kind != "f":
        sys.exit(f"expected U as a float array of shape {example['U'].shape}, got {type(U).__name__} {getattr(U, 'shape', '')}")
    if not np.isfinite(U).all():
        sys.exit("U isn't finite")
    flags = np.asarray(feasible)
    if flags.shape != example["feasible"].shape or flags.dtype != bool:
        sys.exit(f"expected {len(example['x0'])} booleans, got {flags.dtype} of shape {flags.shape}")
    return U, flags


def rollout(example, U):
    """States x[0] .. x[N], (M, N + 1, n)."""
    X = [example["x0"]]
    for k in range(example["N"]):
        X.append(X[-1] @ example["A"].T + U[:, k] @ example["B"].T)
    return np.stack(X, axis=1)


def values(example, U):
    """J, the stretch of the state bounds and that of the input bounds of each start, (M,) each."""
    X = rollout(example, U)
    J = np.sum(X[:, :-1] @ example["Q"] * X[:, :-1], axis=(1, 2)) + np.sum(U @ example["R"] * U, axis=(1, 2))
    J = J + np.sum(X[:, -1] @ example["Qf"] * X[:, -1], axis=1)
    states = np.maximum(X[:, 1:] / example["x_max"], X[:, 1:] / example["x_min"]).max(axis=(1, 2))
    return J, states, np.maximum(U / example["u_max"], U / example["u_min"]).max(axis=(1, 2))


def clipped_lqr(example):
    """What finite-horizon LQR gains give when each input is clipped: the baseline."""
    A, B, P, gains = example["A"], example["B"], example["Qf"], []
    for _ in range(example["N"]):
        K = np.linalg.solve(example["R"] + B.T @ P @ B, B.T @ P @ A)
        P = example["Q"] + A.T @ P @ (A - B @ K)
        gains.append(K)
    x, U = example["x0"], []
    for K in reversed(gains):
        U.append(np.clip(-x @ K.T, example["u_min"], example["u_max"]))
        x = x @ A.T + U[-1] @ B.T
    return np.stack(U, axis=1)


def report(example, U, flags):
    """A line a start: the flag, the bounds and the gap, beside the gap of the baseline."""
    best, known = example["value"], example["feasible"]
    J, states, inputs = values(example, U)
    plain_J, plain_states, _ = values(example, clipped_lqr(example))
    for i, feasible in enumerate(known):
        gap = (J if feasible else states)[i] / best[i] - 1
        plain = (plain_J if feasible else plain_states)[i] / best[i] - 1
        kept = inputs[i] <= 1 + 1e-6 and (not feasible or states[i] <= 1 + 1e-6)
        note = "" if not feasible or plain_states[i] <= 1 + 1e-6 else ", breaks a state bound"
        flag = "right" if flags[i] == feasible else "WRONG"
        print(f"start {i}: flag {flag}, bounds {'kept' if kept else 'BROKEN'}, gap {gap:.2e} (clipped LQR: {plain:.2e}{note})")


def main():
    """Check the file named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("usage: python check.py solution.py")
    solve_mpc = runpy.run_path(sys.argv[1])["solve_mpc"]
    example = load()
    U, flags = answer_of(solve_mpc, example)
    again, _ = answer_of(solve_mpc, example)
    print(f"shapes and types are right; two calls differ by {np.abs(U - again).max():.1e}")
    report(example, U, flags)


if __name__ == "__main__":
    main()
