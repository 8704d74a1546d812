"""Turns a recipe into the prompt: picks phrasings of the Markdown files and fills in names and constants.

A file is sections headed `## kind name`; a section is bullets (alternatives) or, for a layout, text as it stands. Placeholders are
`{canonical_name}`. An unknown placeholder is an error, so a prompt never reaches a model half filled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from tasks.primer.composing import steps

FRAME = Path(__file__).with_name("frame.md")
PLACE = re.compile(r"\{(\w+)\}")


def sections(path: Path) -> dict[str, str]:
    """The text of every `## ` section by its heading."""
    parts = re.split(r"^## (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {head.strip(): body.strip() for head, body in zip(parts[1::2], parts[2::2], strict=True)}


def alternatives(body: str) -> list[str]:
    """The bullets of a section."""
    return [line[2:].strip() for line in body.splitlines() if line.startswith("- ")]


def number(value: Any) -> str:
    """A constant as a reader writes it: 3 for 3.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value)


def fill(text: str, values: Mapping[str, str]) -> str:
    """A text with its placeholders replaced, each once and never again inside a replacement."""

    def one(match: re.Match[str]) -> str:
        if match.group(1) not in values:
            raise ValueError(f"prompt: expected a placeholder among {', '.join(sorted(values))}, received {match.group(0)}")
        return values[match.group(1)]

    return PLACE.sub(one, text)


def prompt(path: Path, recipe: Mapping[str, Any], rng: Random) -> str:
    """The prompt of one instance."""
    frame, own = sections(FRAME), sections(path)
    names = dict(zip(recipe["order"], recipe["arguments"], strict=True))
    names |= {name: number(value) for name, value in recipe["fixed"].items()}
    sentences = [fill(rng.choice(alternatives(own[f"family {recipe['family']}"])), names)]
    if recipe["steps"]:
        sentences.insert(0, rng.choice(alternatives(frame["composed"])))
    for step in recipe["steps"]:
        constants = dict(zip(steps.STEPS[step["name"]].parameters, map(number, step["parameters"]), strict=True))
        sentences.append(fill(rng.choice(alternatives(frame[f"step {step['name']}"])), constants))
    if guard := recipe["guard"]:
        kind = "list" if guard["list"] else "number"
        values = {"argument": names[guard["argument"]], "bound": number(guard["bound"]), "value": number(guard["value"])}
        sentences.append(fill(rng.choice(alternatives(frame[f"guard {kind}"])), values))
    if recipe["lists"]:
        sentences.append(fill(rng.choice(alternatives(frame["unchanged"])), {"argument": names[recipe["lists"][0]]}))
    parts = {
        "signature": f"{recipe['function']}({', '.join(recipe['arguments'])})",
        "about": " ".join(sentences),
        "returns": rng.choice(alternatives(frame[f"returns {recipe['returns']}"])),
    }
    layouts = sorted(name for name in frame if name.startswith("layout "))
    return fill(frame[rng.choice(layouts)], parts) + "\n"
