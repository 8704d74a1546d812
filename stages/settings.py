"""params.yaml as types: an unknown key, a wrong type or a value out of range is one clear line that says where.

Read as YAML 1.2, so `1e-5` is a number, and a key that stands twice is an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import pydantic
from pydantic import Field
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from assay.catalog import first_fault
from assay.errors import SettingsError

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Positive: TypeAlias = Annotated[int, Field(ge=1)]


class _Section(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, strict=True)


class TaskSettings(_Section):
    """How many instances of one task."""

    domain: str
    shared: str
    difficulty: str
    train: Annotated[int, Field(ge=0, le=500)]
    eval: Annotated[int, Field(ge=0, le=500)]


class RoundSettings(_Section):
    """Where a round goes on from."""

    previous: str


class ModelSettings(_Section):
    """The model that is sampled and trained."""

    source: Annotated[str, Field(min_length=1)]
    dtype: Literal["float32", "bfloat16", "float16", "auto"]
    quantization: Literal["none", "nf4"]
    server_url: str | None
    server_model: str | None
    system: str


class SandboxSettings(_Section):
    """The weakest isolation that is accepted."""

    require: Literal["A", "B", "C", "D", "none"]


class SampleSettings(_Section):
    """How attempts are drawn."""

    attempts: Positive
    temperature: Annotated[float, Field(ge=0, le=5)]
    top_p: Annotated[float, Field(gt=0, le=1)]
    max_new_tokens: Positive


class JudgeSettings(_Section):
    """How attempts are judged."""

    mode: Literal["smoke", "full"]
    retries: Annotated[int, Field(ge=0, le=10)]


class RubricSettings(_Section):
    """Who reviews."""

    judge: Literal["none"]


class CorrectSettings(_Section):
    """How many failed attempts are corrected, and what a correction must gain."""

    limit: Count
    margin: Annotated[float, Field(gt=0, le=1)]


class PoolSettings(_Section):
    """What the pool takes."""

    top_k: Positive
    family_cap: Positive
    decay: Share
    corrections: bool
    max_tokens: Positive


class TrainSettings(_Section):
    """How the adapter is trained."""

    rank: Positive
    alpha: Positive
    epochs: Positive
    learning_rate: Annotated[float, Field(gt=0, le=1)]
    batch_rows: Positive
    warmup: Share
    quantization: Literal["none", "nf4"]
    threads: Positive


class RuntimeSettings(_Section):
    """How fast, never what: not tracked."""

    workers: Positive
    judge: Literal["local", "dask"]
    scheduler: Annotated[str, Field(pattern=r"^tcp://([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}$")] | None
    device: Literal["auto", "cpu", "cuda"]


class Settings(_Section):
    """The whole of params.yaml."""

    seed: Annotated[int, Field(ge=0, le=1_000_000)]
    tasks: Annotated[dict[str, TaskSettings], Field(min_length=1)]
    rounds: Annotated[dict[str, RoundSettings], Field(min_length=1)]
    model: ModelSettings
    sandbox: SandboxSettings
    sample: SampleSettings
    judge: JudgeSettings
    rubric: RubricSettings
    correct: CorrectSettings
    pool: PoolSettings
    train: TrainSettings
    evaluate: SampleSettings
    runtime: RuntimeSettings

    @pydantic.model_validator(mode="after")
    def _rounds_chain(self) -> Settings:
        known = {"base"}
        for name, settings in self.rounds.items():
            if not re.fullmatch(r"[A-Za-z0-9_]+", name):
                raise ValueError(f"rounds: a name has letters, digits and _, received {name!r}")
            if settings.previous not in known:
                raise ValueError(f"rounds.{name}.previous must name base or an earlier round, received {settings.previous!r}")
            if name in known:
                raise ValueError(f"rounds: {name} stands there already")
            known.add(name)
        return self


def read(path: Path) -> Settings:
    """Read and check params.yaml.

    Raises:
        SettingsError: one line with the file, the key, what was expected and what was received.
    """
    try:
        document: Any = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SettingsError(f"{path}: expected the settings of a round, received no file") from error
    except (YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: expected YAML, received {' '.join(str(error).split())}") from error
    try:
        return Settings.model_validate(document)
    except pydantic.ValidationError as error:
        raise SettingsError(f"{path}: {first_fault(error)}") from error
