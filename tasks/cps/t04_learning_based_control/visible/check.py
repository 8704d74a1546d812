"""Tries a solution on the visible plant: python check.py solution.py

Checks types, shapes, bounds, unchanged arguments, and that the policy is a function of each state alone; then prints how far its inputs are
from the optimal ones, beside those of no input. Exit status 1 where the contract is broken.
"""

import runpy
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def main(path):
    """Check one file; the exit status."""
    known = {file.stem: np.load(file) for file in sorted((HERE / "example").glob("*.npy"))}
    arrays = [known[name] for name in ("X", "U", "Xn", "Q", "R")]
    given = [array.copy() for array in arrays]
    u_max, states, optimal = float(known["u_max"]), known["states"], known["optimal"]
    policy = runpy.run_path(path)["train_controller"](*given, float(known["gamma"]), u_max)
    if not callable(policy):
        print(f"expected a function, received {type(policy).__name__}")
        return 1
    u = policy(states.copy())
    broken = faults(u, optimal.shape, u_max)
    if any(not np.array_equal(one, other) for one, other in zip(given, arrays, strict=True)):
        broken.append("the arguments were changed")
    if not broken and np.abs(policy(states[::-1].copy())[::-1] - u).max() > 1e-6 * u_max:
        broken.append("the inputs at a state depend on the other rows or on earlier calls")
    for line in broken:
        print(line)
    if not broken:
        error, size = (np.sqrt(np.mean(array**2)) for array in (u - optimal, optimal))
        print(f"root mean square distance from the optimal inputs: {error:.4g}; of no input: {size:.4g}")
    return int(bool(broken))


def faults(u, shape, u_max):
    """What breaks the contract, a line each."""
    if type(u) is not np.ndarray:
        return [f"expected a numpy.ndarray, received {type(u).__name__}"]
    if u.shape != shape or u.dtype.kind not in "fiu":
        return [f"expected float64 of shape {shape}, received {u.dtype} of shape {u.shape}"]
    if not np.isfinite(u).all():
        return ["not all inputs are finite"]
    return ["an input is beyond u_max"] if np.abs(u).max() > u_max * (1 + 1e-6) else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
