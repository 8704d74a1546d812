"""Arrays of hidden regimes and of visible examples on disk: one .npy file each, named as the argument is.

The one module of the domain that generators import, so that a change elsewhere makes no instance anew. Not covered: object arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np


def write(folder: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def read(folder: Path) -> dict[str, np.ndarray]:
    """Every array of a folder by name, sorted."""
    return {path.stem: np.load(path, allow_pickle=False) for path in sorted(folder.glob("*.npy"))}
