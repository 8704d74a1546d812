"""Arrays of hidden regimes and of visible examples on disk: one .npy file each, named as the argument is.

The one module of the domain that generators import, so that a change elsewhere makes no instance anew. File names are
joined as text: pathlib interns every part of a path, and short-lived names make the interpreter's table of them swell. Not covered: object arrays.
"""

from __future__ import annotations

import os
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
    names = sorted(name for name in os.listdir(folder) if name.endswith(".npy"))  # noqa: PTH208
    return {name.removesuffix(".npy"): np.load(os.path.join(folder, name), allow_pickle=False) for name in names}  # noqa: PTH118
