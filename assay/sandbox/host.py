"""What this host offers: which layers hold, which level they make, and what a candidate's root is made of.

Levels: A namespaces, uid, landlock, seccomp, cgroup · B without cgroup · C landlock and seccomp without namespaces (or without a
change of ids) · D without Landlock or without seccomp: not isolated, for honest code only · none: nothing but rlimits.
Not covered: other systems than Linux, where no layer holds.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import SandboxFault

LAYERS = ("namespaces", "uid", "landlock", "seccomp", "cgroup")
LEVELS = ("A", "B", "C", "D", "none")
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/lib32", "/lib32")
_FIRST_UID, _UIDS = 61_184, 4_000
_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Kind:
    """A kind of zygote: one entry of `KINDS` and one warm-up function in inside/warm.py."""

    imports: tuple[str, ...]
    """modules that are loaded before forking"""
    visible: tuple[str, ...]
    """top-level packages and modules that a candidate may import beside the standard library"""
    mark: str
    """a program whose source has a match of this pattern is served by this kind"""
    needs: str
    """a package without which this host has no such kind"""
    pair: bool = True
    """whether both hash seeds start together; otherwise each when it's first asked for"""


_TORCH_IMPORT = (
    r"""\bfrom\s+torch\b|\bimport\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*torch\b|(?:import_module|__import__)\(\s*['"]torch\b"""
)
_TORCH_NEEDS = ("torchgen", "functorch", "typing_extensions", "sympy", "mpmath", "safetensors")
_SKLEARN_NEEDS = ("joblib", "threadpoolctl", "narwhals", "cloudpickle", "loky")
_SKLEARN_MODULES = ("ensemble", "linear_model", "preprocessing", "pipeline", "svm", "neighbors", "decomposition", "mixture")

KINDS: dict[str, Kind] = {
    "torch": Kind(
        ("numpy", "numpy.random", "torch", "torch.nn", "torch.optim", "torch.utils.data"),
        ("numpy", "scipy", "sklearn", *_SKLEARN_NEEDS, "torch", *_TORCH_NEEDS),
        _TORCH_IMPORT,
        "torch",
        pair=False,
    ),
    "sklearn": Kind(
        ("numpy", "scipy.stats", *(f"sklearn.{name}" for name in _SKLEARN_MODULES)),
        ("numpy", "scipy", "sklearn", *_SKLEARN_NEEDS),
        r"\bsklearn\b",
        "sklearn",
    ),
    "scipy": Kind(
        ("numpy", "scipy", "scipy.linalg", "scipy.signal", "scipy.optimize", "scipy.stats"),
        ("numpy", "scipy"),
        r"\bscipy\b(?!\.linalg\b|\s+import\s+linalg\b(?!\s*,))",
        "scipy",
    ),
    "linalg": Kind(
        ("numpy", "scipy", "scipy.linalg"), ("numpy", "scipy"), r"\bscipy\b", "scipy"
    ),  # a third of scipy's memory to fork
    "numpy": Kind(("numpy", "numpy.random", "numpy.linalg", "numpy.fft"), ("numpy", "scipy"), "", "numpy"),
}
"""name -> kind; the first that this host has and whose mark a source has serves it"""


@functools.cache
def has(package: str) -> bool:
    """Whether this host has a package."""
    return importlib.util.find_spec(package) is not None


def kind_for(source: str) -> str:
    """The kind of zygote that serves this source. Where the host lacks torch, importing it is the import_error that it is anywhere."""
    return next(name for name, kind in KINDS.items() if re.search(kind.mark, source) and has(kind.needs))


def environment() -> dict[str, str]:
    """The clean environment of a zygote, without its hash seed."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        "LC_ALL": "C.UTF-8",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "PATH": "/usr/bin:/bin",
        "TZ": "UTC",
        "MALLOC_ARENA_MAX": "2",  # each arena takes address space
        **dict.fromkeys(threads, "1"),
    }


def command(module: str, *arguments: str) -> list[str]:
    """The command line that runs `main` of a module of inside/ with nothing of ours on the path afterwards."""
    code = f"import sys; sys.path.insert(0, {str(_HERE)!r}); from inside import {module}; sys.path.remove({str(_HERE)!r}); {module}.main()"
    return [sys.executable, "-s", "-S", "-P", "-B", "-X", "utf8", "-c", code, *arguments]


def _package_folders(names: Collection[str]) -> tuple[list[str], list[str]]:
    packages, sites = [], []
    for name in names:
        found = importlib.util.find_spec(name)
        if found is None or not (found.submodule_search_locations or found.origin):
            continue
        folder = Path(found.submodule_search_locations[0] if found.submodule_search_locations else str(found.origin))
        packages.append(str(folder))
        sites.append(str(folder.parent))
        libraries = folder.parent / f"{name}.libs"
        if libraries.is_dir():
            packages.append(str(libraries))
    return packages, list(dict.fromkeys(sites))


def layout(names: Collection[str]) -> dict[str, Any]:
    """Folders of a candidate's root: `binds`, `masks`, `packages`, `links`, and `read` for a host without namespaces."""
    packages, sites = _package_folders(names)
    standard = Path(os.__file__).parent
    prefix = standard.parent
    binds, links = [str(prefix)], list[tuple[str, str]]()
    for folder in map(Path, _SYSTEM_LIBRARIES):
        if folder.is_symlink():
            links.append((str(folder), str(folder.resolve())))
            folder = folder.resolve()
        if folder.is_dir() and not any(folder.is_relative_to(bound) for bound in binds):
            binds.append(str(folder))
    hidden = ("site-packages", "dist-packages")
    masks = [str(folder) for bound in binds for name in hidden for folder in Path(bound).glob(f"python3*/{name}")]
    libraries = [bound for bound in binds if not standard.is_relative_to(bound)]
    read = [*libraries, *packages, *(str(entry) for entry in sorted(standard.iterdir()) if entry.name not in hidden)]
    read += [str(entry) for entry in sorted(prefix.iterdir()) if entry.is_file()]
    return {"binds": binds, "masks": masks, "packages": packages, "links": links, "read": read, "site": sites}


def uid_for(number: int) -> int:
    """An unprivileged user id for the number-th zygote of this process, so that no two share one."""
    return _FIRST_UID + (os.getpid() * 61 + number) % _UIDS


@functools.lru_cache(maxsize=16)
def _scout(without: frozenset[str]) -> tuple[tuple[str, str], ...]:
    if not sys.platform.startswith("linux"):
        return tuple((name, "only Linux has it") for name in LAYERS[:-1])
    config = layout(("numpy", "scipy")) | {"uid": uid_for(0), "without": sorted(without)}
    try:
        done = subprocess.run(
            command("scout"), input=json.dumps(config), env=environment(), capture_output=True, text=True, timeout=120, check=True
        )
        found: dict[str, str] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise SandboxFault(f"the sandbox can't find out what this host offers: {error}") from error
    return tuple(found.items())


def layers(without: Collection[str], cgroup: bool) -> tuple[str, ...]:
    """The layers that hold here, in order, less those that are left out.

    Raises:
        SandboxFault: an unknown layer is named, or the host can't be probed.
    """
    unknown = sorted(set(without) - set(LAYERS))
    if unknown:
        raise SandboxFault(f"unknown layer {unknown[0]!r}; expected some of {', '.join(LAYERS)}")
    found = dict(_scout(frozenset(without)))
    found["cgroup"] = "" if cgroup else "not writable"
    return tuple(name for name in LAYERS if name not in without and not found[name])


def level(present: Collection[str]) -> str:
    """The level that these layers make: A, B, C, D or none."""
    have = set(present)
    if not have & set(LAYERS[:4]):
        return "none"
    if not {"landlock", "seccomp"} <= have:
        return "D"
    if not {"namespaces", "uid"} <= have:
        return "C"
    return "A" if "cgroup" in have else "B"


def why_not(without: Collection[str]) -> str:
    """Which layers are missing and why, in words."""
    found = dict(_scout(frozenset(without)))
    return "; ".join(f"{name}: {found[name] or 'left out'}" for name in LAYERS[:4] if found[name] or name in without)
