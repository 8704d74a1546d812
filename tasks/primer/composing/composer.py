"""Makes an instance of the primer: draws names, order, wording and constants from a family's description, and hidden cases with it.

A family is data: what its arguments are, a truth in plain Python, and the inputs where a comparison is decided. An instance is a
recipe (function, argument names and order, arguments replaced by constants, steps after the function, a guard before it) and
its hidden cases. All numbers lie on a binary grid, so that a tie is a tie in every honest order of operations. Lazy answers (a
constant, an argument handed back) are tried on the cases and the cases redrawn until none of them is right throughout.

    public/signature.json    the function and its arguments, as the prompt states them
    private/recipe.json      how the function is made of the family's
    private/cases.json       inputs and expected values

Not here: the judging (cases.py, verifier.py) and the words (each task's prompt.md, and frame.md for what the tasks share).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from assay import canonical
from assay.protocol import Difficulty, Draft
from tasks.primer.composing import steps, wording

TRIES = 400
NUDGE = 2.0**-20
"""moves a bound past a tie and past nothing else"""


@dataclass(frozen=True)
class Argument:
    """An argument of a family's function and how it is drawn."""

    name: str
    """its canonical name"""
    names: tuple[str, ...]
    """what an instance may call it"""
    low: float
    """smallest value"""
    high: float
    """largest value"""
    step: float = 0.25
    """grid of the values, a power of two"""
    kind: str = "float"
    """float, int or bool"""
    length: tuple[int, int] | None = None
    """shortest and longest list; None for a scalar"""
    fixable: bool = False
    """whether an instance may put a constant in its place"""

    def draw(self, rng: Random) -> Any:
        """One value."""
        if self.length is None:
            return self._number(rng)
        return [self._number(rng) for _ in range(rng.randint(*self.length))]

    def _number(self, rng: Random) -> float | int | bool:
        value = self.low + rng.randint(0, int((self.high - self.low) / self.step)) * self.step
        return {"float": float, "int": int, "bool": bool}[self.kind](value)


def no_edges(**values: Any) -> list[dict[str, Any]]:
    """No input is special."""
    return []


@dataclass(frozen=True)
class Family:
    """A kind of problem, apart from its words."""

    name: str
    """canonical name of its function, never that of an instance"""
    functions: tuple[str, ...]
    """what an instance may call its function"""
    arguments: tuple[Argument, ...]
    """in canonical order"""
    truth: Callable[..., Any]
    """the function, by canonical keyword"""
    gives: str
    """float, int, bool or floats"""
    edges: Callable[..., list[dict[str, Any]]] = no_edges
    """for one drawn input: replacements that put it on and around a boundary"""
    exact: bool = False
    """whether the result of numbers on the grid has no rounding"""
    scales: tuple[str, ...] = ()
    """arguments that may be scaled together"""
    degree: int = 1
    """the power of the scale that the result then takes"""
    mistakes: tuple[Callable[..., Any], ...] = ()
    """near misses: each must be wrong on a hidden case of every instance"""


def compose(
    families: Mapping[str, Family], *, prompt: Path, seed: int, difficulty: Difficulty, public: Path, private: Path
) -> Draft:
    """Write the two folders of one instance.

    Args:
        families: the task's families by canonical name.
        prompt: the task's prompt.md; its folder's name is the task's.
        seed: 0 and up.
        difficulty: its axes are `cases`, `edges`, `constants`, `steps`, `guards` and `reordered`.
        public: empty folder.
        private: empty folder.

    Returns:
        The prompt and the family.
    """
    task = prompt.parent.name
    family = families[_family(sorted(families), task, seed)]
    rng = Random(canonical.seed(task, difficulty.name, seed))
    recipe, cases = _instance(family, rng, difficulty.axes)
    text = wording.prompt(prompt, recipe, rng)
    signature = {"function": recipe["function"], "arguments": recipe["arguments"]}
    book = {"function": recipe["function"], "returns": recipe["returns"], "cases": cases, "scale": _scale(family, recipe)}
    _write(public / "signature.json", signature)
    _write(private / "recipe.json", recipe)
    _write(private / "cases.json", book)
    return Draft(prompt=text, family=family.name)


def _write(path: Path, value: Any) -> None:
    path.write_bytes(canonical.dumps(value).encode() + b"\n")


def _family(names: list[str], task: str, seed: int) -> str:
    """Every run of as many seeds as there are families has each of them once."""
    block, place = divmod(seed, len(names))
    Random(canonical.seed(task, "families", block)).shuffle(names)
    return names[place]


def _instance(family: Family, rng: Random, axes: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    for _ in range(TRIES):
        recipe = _recipe(family, rng, axes)
        rows = _rows(family, recipe, rng, axes)
        if _extend(family, recipe, rng, axes, rows):
            cases = [_case(family, recipe, row) for row in rows]
            if not lazy(cases, recipe["returns"]) and _tells_apart(family, recipe, rows, cases):
                return recipe, cases
    raise ValueError(f"family {family.name}: expected hidden cases that no lazy answer meets, received none in {TRIES} tries")


def _recipe(family: Family, rng: Random, axes: Mapping[str, Any]) -> dict[str, Any]:
    fixable = [argument for argument in family.arguments if argument.fixable]
    count = min(rng.randint(0, axes["constants"]), len(fixable), len(family.arguments) - 1)
    fixed = {argument.name: argument.draw(rng) for argument in rng.sample(fixable, count)}
    free = [argument for argument in family.arguments if argument.name not in fixed]
    if rng.random() < axes["reordered"]:
        rng.shuffle(free)
    taken: list[str] = []
    for argument in free:
        taken.append(rng.choice([name for name in argument.names if name not in taken]))
    return {
        "family": family.name,
        "function": rng.choice(family.functions),
        "order": [argument.name for argument in free],
        "arguments": taken,
        "fixed": fixed,
        "lists": [argument.name for argument in free if argument.length is not None],
        "returns": family.gives,
        "guard": None,
        "steps": [],
    }


def _rows(family: Family, recipe: Mapping[str, Any], rng: Random, axes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Inputs by canonical name: drawn ones, then the boundaries around the first of them."""
    drawn = [{a.name: recipe["fixed"].get(a.name, a.draw(rng)) for a in family.arguments} for _ in range(axes["cases"])]
    changes = [(row, change) for row in drawn[: axes["edges"]] for change in family.edges(**row)]
    assert not any(set(change) & set(recipe["fixed"]) for _, change in changes), "a boundary never moves a constant"
    return drawn + [row | change for row, change in changes]


def _extend(family: Family, recipe: dict[str, Any], rng: Random, axes: Mapping[str, Any], rows: list[dict[str, Any]]) -> bool:
    """Add the steps and the guard that the level asks for; False when a part would change nothing or everything."""
    exact = family.exact
    results = [family.truth(**row) for row in rows]
    for _ in range(axes["steps"]):
        names = steps.after(recipe["returns"], [step["name"] for step in recipe["steps"]])
        if not names:
            break
        name = rng.choice(names)
        step = steps.STEPS[name]
        parameters = step.draw(rng, results, exact)
        if steps.near_tie(name, parameters, results, exact):
            return False
        changed = [step.function(result, *parameters) for result in results]
        if sum(new != old for new, old in zip(changed, results, strict=True)) < 2:
            return False
        recipe["steps"].append({"name": name, "parameters": list(parameters)})
        recipe["returns"], results = step.gives, changed
    return not axes["guards"] or _guard(family, recipe, rng, rows)


def _guard(family: Family, recipe: dict[str, Any], rng: Random, rows: list[dict[str, Any]]) -> bool:
    """A clause on one argument: below a bound, another value is returned. A few inputs are put on the bound."""
    able = [a for a in family.arguments if a.name not in recipe["fixed"] and a.kind != "bool"]
    argument = rng.choice(able)
    sizes = sorted(_size(row[argument.name]) for row in rows)
    value = {"float": rng.choice((0.0, -1.0, 1.0)), "int": rng.choice((-2, -5)), "bool": False, "floats": []}[recipe["returns"]]
    bound = sizes[len(sizes) // 3]
    recipe["guard"] = {"argument": argument.name, "bound": bound, "value": value, "list": argument.length is not None}
    return sum(below(recipe["guard"], row) for row in rows) >= 2 and bound in sizes


def _size(value: Any) -> float | int:
    return len(value) if isinstance(value, list) else value


def below(guard: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Whether the guard's clause holds for an input."""
    return bool(_size(row[guard["argument"]]) < guard["bound"])


def evaluate(family: Family, recipe: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """The true answer of an instance for one input by canonical name."""
    if recipe["guard"] and below(recipe["guard"], row):
        return recipe["guard"]["value"]
    result = family.truth(**row)
    for step in recipe["steps"]:
        result = steps.STEPS[step["name"]].function(result, *step["parameters"])
    return result


def _case(family: Family, recipe: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    return {"arguments": [row[name] for name in recipe["order"]], "expected": evaluate(family, recipe, row)}


def _tells_apart(
    family: Family, recipe: dict[str, Any], rows: Sequence[Mapping[str, Any]], cases: Sequence[Mapping[str, Any]]
) -> bool:
    """Whether every mistake is wrong on some case."""
    expected = [case["expected"] for case in cases]
    return all(
        any(evaluate(other, changed, row) != value for row, value in zip(rows, expected, strict=True))
        for other, changed in _mistaken(family, recipe)
    )


def _mistaken(family: Family, recipe: dict[str, Any]) -> Iterator[tuple[Family, dict[str, Any]]]:
    """The family's near misses; the guard forgotten or decided the other way at its bound; a step forgotten; an alarm at a tie."""
    for mistake in family.mistakes:
        yield replace(family, truth=mistake), recipe
    if guard := recipe["guard"]:
        yield family, recipe | {"guard": None}
        yield family, recipe | {"guard": guard | {"bound": guard["bound"] + NUDGE}}
    for place, step in enumerate(recipe["steps"]):
        before, after = recipe["steps"][:place], recipe["steps"][place + 1 :]
        if steps.STEPS[step["name"]].takes == steps.STEPS[step["name"]].gives:
            yield family, recipe | {"steps": before + after}
        if step["name"] == "enough" or (step["name"] == "alarm" and family.exact):
            moved = step | {"parameters": [step["parameters"][0] + (NUDGE if step["name"] == "enough" else -NUDGE)]}
            yield family, recipe | {"steps": [*before, moved, *after]}


def _scale(family: Family, recipe: Mapping[str, Any]) -> dict[str, Any] | None:
    """Which arguments may be scaled together; None where the instance doesn't promise it."""
    if not family.scales or recipe["steps"] or recipe["guard"] or set(family.scales) & set(recipe["fixed"]):
        return None
    return {"positions": [recipe["order"].index(name) for name in sorted(family.scales)], "degree": family.degree}


def lazy(cases: Sequence[Mapping[str, Any]], returns: str) -> bool:
    """Whether an answer that computes nothing is right on too many cases."""
    expected = [case["expected"] for case in cases]
    texts = [canonical.dumps(value) for value in expected]
    share = max(texts.count(text) for text in texts) / len(texts)
    if share > 0.75 or (returns == "floats" and share > 0.5):
        return True
    return any(all(_same(echo, value) for echo, value in zip(echoes, expected, strict=True)) for echoes in _echoes(cases))


def _echoes(cases: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    found: list[list[Any]] = []
    for place in range(len(cases[0]["arguments"])):
        given = [case["arguments"][place] for case in cases]
        found.append(given)
        if isinstance(given[0], list):
            found += [
                [row[0] for row in given],
                [row[-1] for row in given],
                [len(row) for row in given],
                [row[::-1] for row in given],
            ]
        else:
            found += [[-value for value in given], [abs(value) for value in given], [value > 0 for value in given]]
    return found


def _same(left: Any, right: Any) -> bool:
    return bool(left == right)
