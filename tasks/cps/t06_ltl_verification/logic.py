"""Bounded temporal formulas over a finite trace: grammar, Boolean and quantitative semantics, negation. Judge side only.

A formula is a nested list:

    ["atom", h, d]                    h'x[k] <= d
    ["and", f, ...]  ["or", f, ...]
    ["always", a, b, f]               f at every time k + a .. k + b
    ["eventually", a, b, f]           f at some time k + a .. k + b
    ["until", a, b, f, g]             g at some time j in k + a .. k + b, and f at every time k .. j - 1

Windows count from the time k at which the operator itself is evaluated; a trace satisfies f when f holds at k = 0. No window reaches
beyond the last index of the trace, so that no convention for cut-off windows is needed.

Robustness r(f, k), a real number (A. Donze and O. Maler, FORMATS 2010; G. E. Fainekos and G. J. Pappas, Theor. Comput. Sci. 410 (2009), 4262):

    atom  d - h'x[k]        and  min        or  max        always  min over the window        eventually  max over the window
    until  max over j = k + a .. k + b of min( r(g, j), min over i = k .. j - 1 of r(f, i) )

r > 0 implies that f holds, r < 0 that it doesn't. The grammar is in positive normal form, which gives two laws that the task rests on:
r never falls when an atom's value rises, so lower bounds of the atoms give a lower bound of r; and adding t to every d adds t to r.

Not covered: unbounded operators, past operators, atoms that aren't half-spaces, equality (an atom and its negation both hold at h'x = d).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

Formula: TypeAlias = list[Any]
AtomValues: TypeAlias = Callable[[np.ndarray, float], np.ndarray]
"""(h, d) -> (N, T + 1) float64: the atom's value, or a bound of it, at every time"""


def atom(h: np.ndarray, d: float) -> Formula:
    """h'x <= d, as plain lists and numbers."""
    return ["atom", [float(value) for value in h], float(d)]


def evaluate(formula: Formula, values: AtomValues) -> np.ndarray:
    """Robustness at every time where it is defined.

    Args:
        formula: see the module's head.
        values: robustness of the atoms, or one-sided bounds of it.

    Returns:
        (N, K) float64: robustness, or the bound, at k = 0 .. K - 1.
    """
    operator = formula[0]
    if operator == "atom":
        return values(np.asarray(formula[1], dtype=float), formula[2])
    if operator in ("and", "or"):
        parts = [evaluate(part, values) for part in formula[1:]]
        K = min(part.shape[1] for part in parts)
        stacked = np.stack([part[:, :K] for part in parts])
        return stacked.min(axis=0) if operator == "and" else stacked.max(axis=0)
    a, b = formula[1], formula[2]
    if operator == "until":
        return _until(a, b, evaluate(formula[3], values), evaluate(formula[4], values))
    inner = evaluate(formula[3], values)
    window = np.stack([inner[:, j : inner.shape[1] - b + j] for j in range(a, b + 1)])
    return window.min(axis=0) if operator == "always" else window.max(axis=0)


def _until(a: int, b: int, f: np.ndarray, g: np.ndarray) -> np.ndarray:
    K = min(g.shape[1] - b, f.shape[1] - max(b - 1, 0))
    held, best = np.full((len(g), K), np.inf), np.full((len(g), K), -np.inf)
    for j in range(b + 1):
        if j >= a:
            best = np.maximum(best, np.minimum(g[:, j : j + K], held))
        if j < b:
            held = np.minimum(held, f[:, j : j + K])
    return best


def robustness(formula: Formula, X: np.ndarray) -> np.ndarray:
    """(N,) float64: robustness at k = 0 of N traces X, (N, T + 1, n) float64."""
    return evaluate(formula, lambda h, d: d - X @ h)[:, 0]


def holds(formula: Formula, x: np.ndarray, k: int = 0) -> bool:
    """Boolean semantics of one trace x, (T + 1, n) float64, word for word as in the module's head."""
    operator = formula[0]
    if operator == "atom":
        return bool(np.dot(formula[1], x[k]) <= formula[2])
    if operator in ("and", "or"):
        return (all if operator == "and" else any)(holds(part, x, k) for part in formula[1:])
    window = range(k + formula[1], k + formula[2] + 1)
    if operator == "until":
        return any(holds(formula[4], x, j) and all(holds(formula[3], x, i) for i in range(k, j)) for j in window)
    return (all if operator == "always" else any)(holds(formula[3], x, j) for j in window)


def reach(formula: Formula) -> int:
    """The last index of the trace that the formula can look at."""
    if formula[0] == "atom":
        return 0
    if formula[0] in ("and", "or"):
        return max(reach(part) for part in formula[1:])
    b = formula[2]
    if formula[0] == "until":
        return max(b + reach(formula[4]), b - 1 + reach(formula[3]) if b else 0)
    return b + reach(formula[3])


def negate(formula: Formula) -> Formula:
    """The formula whose robustness is minus that of `formula`; until is unrolled over its window."""
    operator = formula[0]
    if operator == "atom":
        return atom(-np.asarray(formula[1]), -formula[2])
    if operator in ("and", "or"):
        return ["or" if operator == "and" else "and", *(negate(part) for part in formula[1:])]
    a, b = formula[1], formula[2]
    if operator == "until":
        f, g = negate(formula[3]), negate(formula[4])
        return ["and", *(_not_at(j, f, g) for j in range(a, b + 1))]
    return ["eventually" if operator == "always" else "always", a, b, negate(formula[3])]


def _not_at(j: int, f: Formula, g: Formula) -> Formula:
    """Until isn't fulfilled at offset j, given the negated parts."""
    late = ["always", j, j, g]
    return ["or", late, ["eventually", 0, j - 1, f]] if j else late


def atoms(formula: Formula) -> Iterator[Formula]:
    """Every atom, from left to right."""
    if formula[0] == "atom":
        yield formula
    for part in formula[1:]:
        if isinstance(part, list) and part and isinstance(part[0], str):
            yield from atoms(part)


def with_atoms(formula: Formula, change: Callable[[np.ndarray, float], tuple[np.ndarray, float]]) -> Formula:
    """The formula with each atom (h, d) replaced by change(h, d)."""
    if formula[0] == "atom":
        return atom(*change(np.asarray(formula[1], dtype=float), formula[2]))
    return [with_atoms(part, change) if isinstance(part, list) else part for part in formula]


def shifted(formula: Formula, amount: float) -> Formula:
    """The formula whose robustness is higher by `amount`, for every trace."""
    return with_atoms(formula, lambda h, d: (h, d + amount))
