"""A case of the task: a closed loop, a formula and the truth about them; and its file. Judge side only.

A regime is one JSON file, a list of cases; float64 numbers survive the way through decimal text unchanged (17 digits).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tasks.cps.t06_ltl_verification.logic import Formula
from tasks.cps.t06_ltl_verification.loops import Loop


@dataclass(frozen=True)
class Case:
    """One question and its answer."""

    loop: Loop
    """plant, controller and box"""
    formula: Formula
    """what every trace from the box should satisfy"""
    T: int
    """last index of a trace"""
    kind: str
    """needle, twin, open or wide: how the case was made; twin and wide are safe"""
    pair: int
    """the loop's number within the regime: a needle and its twin share one, an open case and a wide one share another"""
    least: float
    """least robustness over the box"""
    worst: np.ndarray
    """(n,) float64: initial state that has it"""

    @property
    def safe(self) -> bool:
        """Whether every trace satisfies the formula."""
        return self.least > 0

    def arguments(self) -> tuple[Any, ...]:
        """What `verify` gets, by position."""
        loop = self.loop
        return (loop.A, loop.B, loop.c, list(loop.layers), loop.low, loop.high, self.formula, self.T)


def question(case: Case) -> dict[str, Any]:
    """The arguments by name, as JSON takes them."""
    loop = case.loop
    arrays = {name: getattr(loop, name).tolist() for name in ("A", "B", "c", "low", "high")}
    layers = [[W.tolist(), b.tolist()] for W, b in loop.layers]
    return {**arrays, "layers": layers, "formula": case.formula, "T": case.T}


def write(path: Path, cases: Sequence[Case]) -> None:
    """Lay a regime down."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {**question(case), "kind": case.kind, "pair": case.pair, "least": case.least, "worst": case.worst.tolist()}
        for case in cases
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")


def read(path: Path) -> list[Case]:
    """The regime that `write` laid down."""
    return [_case(row) for row in json.loads(path.read_text(encoding="utf-8"))]


def _case(row: dict[str, Any]) -> Case:
    layers = [(np.array(W), np.array(b)) for W, b in row["layers"]]
    arrays = {name: np.array(row[name]) for name in ("A", "B", "c", "low", "high")}
    truth = {name: row[name] for name in ("kind", "pair", "least")}
    return Case(loop=Loop(**arrays, layers=layers), formula=row["formula"], T=row["T"], worst=np.array(row["worst"]), **truth)
