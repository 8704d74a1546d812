"""What the compared harnesses share: run a candidate's calls with nothing around them, and hand them over in a folder of files.

    python benchmarks/answering.py FOLDER      reads solution.py, calls.json and inputs.npz; writes outputs.npz and fault.txt

The second use is the script of the cold harnesses (a fresh interpreter a program), so this file imports NumPy and nothing of Assay;
SciPy is loaded where a candidate asks for it. Calls are by position, with array results, as those of t01 are.
Not covered: keywords, callables, other kinds of results, and any protection: candidates must be ours and harmless.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Asked = tuple[str, Sequence[Array], "tuple[int, ...] | None"]
"""a call: function, arguments, shape of the result"""


def answers(source: str, calls: Sequence[Asked]) -> tuple[list[Array], str]:
    """Load a source and make calls.

    Returns:
        The values until the first failure, and its failure mode (empty where there is none).
    """
    space: dict[str, Any] = {"__name__": "submission"}
    values: list[Array] = []
    try:
        exec(compile(source, "submission", "exec"), space)
    except SystemExit:
        return values, "early_exit"
    except SyntaxError:
        return values, "syntax_error"
    except Exception:
        return values, "import_error"
    for function, arguments, shape in calls:
        if not callable(space.get(function)):
            return values, "missing_function"
        fault = _answer(space[function], arguments, shape, values)
        if fault:
            return values, fault
    return values, ""


def _answer(function: Any, arguments: Sequence[Array], shape: tuple[int, ...] | None, values: list[Array]) -> str:
    given = [np.array(argument) for argument in arguments]
    try:
        value = function(*given)
    except SystemExit:
        return "early_exit"
    except Exception:
        return "exception"
    if type(value) is not np.ndarray or value.dtype.kind not in "fiu":
        return "wrong_type"
    if shape is not None and value.shape != shape:
        return "wrong_shape"
    if not np.isfinite(value).all():
        return "not_finite"
    if any(after.tobytes() != before.tobytes() for after, before in zip(given, arguments, strict=True)):
        return "input_changed"
    values.append(value.astype(np.float64))
    return ""


def write_job(folder: Path, source: str, calls: Sequence[Asked]) -> None:
    """Lay a program into a folder."""
    (folder / "solution.py").write_text(source, encoding="utf-8")
    head = [[function, len(arguments), shape] for function, arguments, shape in calls]
    (folder / "calls.json").write_text(json.dumps(head))
    named: dict[str, Any] = {f"{i}_{j}": array for i, call in enumerate(calls) for j, array in enumerate(call[1])}
    np.savez(folder / "inputs.npz", **named)


def read_answers(folder: Path) -> tuple[list[Array], str]:
    """What a run left in its folder; a run that left nothing ended early."""
    with contextlib.suppress(OSError), np.load(folder / "outputs.npz", allow_pickle=False) as found:
        return [found[str(i)] for i in range(len(found.files))], (folder / "fault.txt").read_text()
    return [], "early_exit"


def main() -> None:
    """Serve the folder that is the only argument."""
    folder = Path(sys.argv[1])
    with np.load(folder / "inputs.npz", allow_pickle=False) as inputs:
        head = json.loads((folder / "calls.json").read_text())
        calls = [
            (name, [inputs[f"{i}_{j}"] for j in range(count)], tuple(shape) if shape is not None else None)
            for i, (name, count, shape) in enumerate(head)
        ]
    values, fault = answers((folder / "solution.py").read_text(encoding="utf-8"), calls)
    (folder / "fault.txt").write_text(fault)
    named: dict[str, Any] = {str(i): value for i, value in enumerate(values)}
    np.savez(folder / "outputs.npz", **named)


if __name__ == "__main__":
    main()
