"""A stand-in for the sandbox: runs a program in this process and converts as `Returns` says. For harmless sources only."""

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from assay.protocol import Program, Reply, Returns

NUMBER = (int, float, np.integer, np.floating)


def _one(value: Any, kind: str, *, finite: bool) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    allowed = {"float": NUMBER, "int": (int, np.integer), "bool": (bool, np.bool_)}[kind]
    exact = type(value) in (bool, int, float) or isinstance(value, np.generic)
    if not exact or not isinstance(value, allowed) or (kind != "bool" and isinstance(value, bool | np.bool_)):
        raise TypeError("wrong_type")
    try:
        plain = {"float": float, "int": int, "bool": bool}[kind](value)
    except OverflowError:
        raise TypeError("not_finite") from None
    if finite and kind == "float" and not np.isfinite(plain):
        raise TypeError("not_finite")
    return plain


def convert(value: Any, returns: Returns) -> Any:
    """A returned value as the contract wants it; TypeError with the failure mode."""
    if returns.kind in ("float", "int", "bool"):
        return _one(value, returns.kind, finite=returns.finite)
    if type(value) not in (list, tuple, np.ndarray) or (isinstance(value, np.ndarray) and value.ndim != 1):
        raise TypeError("wrong_type")
    kind = returns.kind.removesuffix("s")
    return np.array(
        [_one(part, kind, finite=returns.finite) for part in value], dtype={"float": float, "int": int, "bool": bool}[kind]
    )


def runner(seen: list[Program] | None = None) -> Callable[[Program], Reply]:
    """A `run` for a verifier; notes every program in `seen`. A source sees TWIN, whether it is the twin."""

    def run(program: Program) -> Reply:
        if seen is not None:
            seen.append(program)
        space: dict[str, Any] = {"__name__": "submission", "TWIN": program.twin, "random": random}
        values: list[Any] = []

        def reply(fault: str, detail: str) -> Reply:
            return Reply(tuple(values), fault, detail, "", "", 0.0, 0.0, "none: tests only")  # type: ignore[arg-type]

        try:
            exec(compile(program.source, "submission", "exec"), space)
        except SyntaxError:
            return reply("syntax_error", "the code doesn't parse")
        except Exception as error:
            return reply("import_error", type(error).__name__)
        for call in program.calls:
            if not callable(space.get(call.function)):
                return reply("missing_function", call.function)
            try:
                given = copy.deepcopy(call.arguments)
                answer = space[call.function](*given)
            except Exception as error:
                return reply("exception", type(error).__name__)
            if given != call.arguments:
                return reply("input_changed", "a call wrote into its inputs")
            try:
                values.append(convert(answer, call.returns))
            except TypeError as error:
                return reply(str(error), "refused")
        return reply("", "")

    return run
