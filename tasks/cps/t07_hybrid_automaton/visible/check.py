"""Tries a solution on the two visible systems: python check.py solution.py

Checks types, shapes, finiteness, unchanged arguments and that a second call answers the same; then prints how many modes are right
under the best renaming, and the one-step error beside that of one ARX model for all steps. Exit status 1 where the contract is broken.
"""

import itertools
import runpy
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def main(path):
    """Check one file on both examples; the exit status."""
    identify_modes = runpy.run_path(path)["identify_modes"]
    return max([tried(identify_modes, name) for name in ("example_guard", "example_dwell")])


def tried(identify_modes, name):
    """Check one example: 0, or 1 where the contract is broken."""
    known = {file.stem: np.load(file) for file in sorted((HERE / name).glob("*.npy"))}
    Y, U, params = known["Y"], known["U"], known["params"]
    na, nb, dwell = (int(order) for order in known["orders"])
    K = len(params)
    given = Y.copy(), U.copy()
    answer = identify_modes(*given, K, na, nb, dwell)
    broken = faults(answer, {"modes": known["modes"].shape, "params": params.shape, "guards": (K, Y.shape[2] + 1)})
    if not broken:
        if not (np.array_equal(given[0], Y) and np.array_equal(given[1], U)):
            broken.append("the arguments were changed")
        again = identify_modes(Y.copy(), U.copy(), K, na, nb, dwell)
        if any(np.shape(a) != np.shape(b) or np.abs(a - b).max() > 1e-6 for a, b in zip(answer, again, strict=True)):
            broken.append("a second call answers otherwise")
    for line in broken:
        print(f"{name}: {line}")
    if not broken:
        report(name, answer, known, na, nb)
    return int(bool(broken))


def faults(answer, shapes):
    """What breaks the contract, a line each."""
    if type(answer) is not tuple or len(answer) != 3:
        return ["expected a tuple of three arrays"]
    lines = []
    for part, (label, shape) in zip(answer, shapes.items(), strict=True):
        if type(part) is not np.ndarray:
            lines.append(f"{label}: expected a numpy.ndarray, received {type(part).__name__}")
        elif part.shape != shape:
            lines.append(f"{label}: expected shape {shape}, received {part.shape}")
        elif part.dtype.kind not in ("iu" if label == "modes" else "fiu"):
            lines.append(f"{label}: unexpected dtype {part.dtype}")
        elif not np.isfinite(part).all():
            lines.append(f"{label}: not all finite")
    return lines


def report(name, answer, known, na, nb):
    """Print accuracy and one-step errors on the example's own data."""
    (modes, params, _), truth, K = answer, known["modes"], len(known["params"])
    right = max(np.mean(np.array(names)[np.clip(modes, 0, K - 1)] == truth) for names in itertools.permutations(range(K)))
    Y, U, L, T = known["Y"], known["U"], max(na, nb), known["Y"].shape[1]
    past = [Y[:, L - i : T - i] for i in range(1, na + 1)] + [U[:, L - i : T - i] for i in range(1, nb + 1)]
    phi = np.concatenate([*past, np.ones((len(Y), T - L, 1))], axis=2)
    single = np.linalg.lstsq(phi.reshape(-1, phi.shape[2]), Y[:, L:].reshape(-1, Y.shape[2]), rcond=None)[0].T
    laws = {
        "yours": params[np.clip(modes, 0, K - 1)],
        "one ARX model": np.broadcast_to(single, (*modes.shape, *single.shape)),
        "the true ones": known["params"][truth],
    }
    errors = [
        f"{np.sqrt(np.mean((np.einsum('ntpd,ntd->ntp', law, phi) - Y[:, L:]) ** 2)):.4f} ({label})" for label, law in laws.items()
    ]
    print(f"{name}: {right:.1%} of the modes are right; one-step RMSE {', '.join(errors)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
