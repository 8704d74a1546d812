"""What the compared harnesses share: run a candidate's calls with nothing around them, and hand them over in a folder of files.

    python benchmarks/answering.py FOLDER      reads solution.py, calls.json and inputs.npz; writes outputs.npz and fault.txt

The second use is the script of the cold harnesses (a fresh interpreter a program), so this file imports NumPy and nothing of Assay;
SciPy is loaded where a candidate asks for it. Calls are by position; a result is an array or a tuple of arrays, as t01's are.
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
Asked = tuple[str, Sequence[Array], "Sequence[tuple[int, ...] | None]", bool]
"""a call: function, arguments, shapes of the result's arrays, and whether they come as a tuple"""


def answers(source: str, calls: Sequence[Asked]) -> tuple[list[Any], str]:
    """Load a source and make calls.

    Returns:
        The values until the first failure, and its failure mode (empty where there is none).
    """
    space: dict[str, Any] = {"__name__": "submission"}
    values: list[Any] = []
    try:
        exec(compile(source, "submission", "exec"), space)
    except SystemExit:
        return values, "early_exit"
    except SyntaxError:
        return values, "syntax_error"
    except Exception:
        return values, "import_error"
    for call in calls:
        if not callable(space.get(call[0])):
            return values, "missing_function"
        fault = _answer(space[call[0]], call, values)
        if fault:
            return values, fault
    return values, ""


def _answer(function: Any, call: Asked, values: list[Any]) -> str:
    _, arguments, shapes, several = call
    given = [np.array(argument) for argument in arguments]
    try:
        value = function(*given)
    except SystemExit:
        return "early_exit"
    except Exception:
        return "exception"
    if several and (type(value) is not tuple or len(value) != len(shapes)):
        return "wrong_type"
    parts = value if several else (value,)
    faults = [fault for part, shape in zip(parts, shapes, strict=True) if (fault := _fault(part, shape))]
    if faults:
        return faults[0]
    if any(after.tobytes() != before.tobytes() for after, before in zip(given, arguments, strict=True)):
        return "input_changed"
    read = tuple(part.astype(np.float64) for part in parts)
    values.append(read if several else read[0])
    return ""


def _fault(value: Any, shape: tuple[int, ...] | None) -> str:
    if type(value) is not np.ndarray or value.dtype.kind not in "fiu":
        return "wrong_type"
    if shape is not None and value.shape != shape:
        return "wrong_shape"
    return "" if np.isfinite(value).all() else "not_finite"


def write_job(folder: Path, source: str, calls: Sequence[Asked]) -> None:
    """Lay a program into a folder."""
    (folder / "solution.py").write_text(source, encoding="utf-8")
    head = [[function, len(arguments), shapes, several] for function, arguments, shapes, several in calls]
    (folder / "calls.json").write_text(json.dumps(head))
    named: dict[str, Any] = {f"{i}_{j}": array for i, call in enumerate(calls) for j, array in enumerate(call[1])}
    np.savez(folder / "inputs.npz", **named)


def read_answers(folder: Path, calls: Sequence[Asked]) -> tuple[list[Any], str]:
    """What a run left in its folder; a run that left nothing ended early."""
    with contextlib.suppress(OSError), np.load(folder / "outputs.npz", allow_pickle=False) as found:
        parts = [[found[f"{i}_{j}"] for j in range(len(call[2]))] for i, call in enumerate(calls) if f"{i}_0" in found]
        values = [tuple(arrays) if call[3] else arrays[0] for call, arrays in zip(calls, parts, strict=False)]
        return values, (folder / "fault.txt").read_text()
    return [], "early_exit"


def main() -> None:
    """Serve the folder that is the only argument."""
    folder = Path(sys.argv[1])
    with np.load(folder / "inputs.npz", allow_pickle=False) as inputs:
        head = json.loads((folder / "calls.json").read_text())
        calls = [
            (name, [inputs[f"{i}_{j}"] for j in range(count)], [tuple(shape) if shape else None for shape in shapes], several)
            for i, (name, count, shapes, several) in enumerate(head)
        ]
    values, fault = answers((folder / "solution.py").read_text(encoding="utf-8"), calls)
    (folder / "fault.txt").write_text(fault)
    parts = [value if type(value) is tuple else (value,) for value in values]
    named: dict[str, Any] = {f"{i}_{j}": array for i, arrays in enumerate(parts) for j, array in enumerate(arrays)}
    np.savez(folder / "outputs.npz", **named)


if __name__ == "__main__":
    main()
