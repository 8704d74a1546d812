"""Instances of p02: a family, a recipe and hidden cases out of a seed."""

from __future__ import annotations

from pathlib import Path

from assay.protocol import Difficulty, Draft
from tasks.primer.composing import composer
from tasks.primer.p02_sequences import families


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    prompt = Path(__file__).with_name("prompt.md")
    return composer.compose(families.FAMILIES, prompt=prompt, seed=seed, difficulty=difficulty, public=public, private=private)
