"""Dataclasses, an abstract class, an enumeration, a protocol, generics and annotations that aren't evaluated."""

from __future__ import annotations

import enum
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from nowhere import Nothing

T = TypeVar("T", bound="Weighted")


class Kind(enum.Enum):
    SUM = enum.auto()


class Weighted(ABC, Generic[T]):
    @abstractmethod
    def total(self, x: Nothing) -> float: ...


class Point(NamedTuple):
    weight: float
    value: float


class Adds(Protocol):
    def __call__(self, x: Nothing) -> float: ...


@dataclass(frozen=True, slots=True, order=True)
class Sum(Weighted):
    weights: tuple[float, ...]
    kind: Kind = field(default=Kind.SUM, compare=False)

    def total(self, x: Nothing) -> float:
        return sum(p.weight * p.value for p in map(Point, self.weights, x.tolist()))


SUM = Sum(tuple(json.load(open("weights.json"))))


def f(x: Nothing) -> float:
    return SUM.total(x)
