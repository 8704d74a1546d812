"""One text for one value: canonical JSON and the hashes made of it.

Keys sorted, no spaces, UTF-8, no NaN or Infinity (JSON has none). Equal values give equal bytes on every machine, so hashes of
this text are identities. Not covered: arrays and dates, which their owners turn into text first.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any


def dumps(value: Any) -> str:
    """The canonical JSON text of plain data.

    Raises:
        ValueError: a number that isn't finite.
        TypeError: a value that JSON has no form for.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def loads(text: str) -> Any:
    """Plain data from JSON text; NaN and Infinity are refused with ValueError."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(token: str) -> Any:
    raise ValueError(f"JSON has no number {token}")


def sha(value: Any) -> str:
    """The SHA-256 of a value's canonical text, as 64 hexadecimal digits; half a character (a lone surrogate) is hashed as it is."""
    return hashlib.sha256(dumps(value).encode("utf-8", "surrogatepass")).hexdigest()


def finite(metrics: Mapping[str, float | int | None]) -> tuple[dict[str, float | int | None], tuple[str, ...]]:
    """Metrics with every non-finite value made null, and the names of those that were."""
    bad = tuple(sorted(name for name, value in metrics.items() if isinstance(value, float) and not math.isfinite(value)))
    return {name: None if name in bad else value for name, value in metrics.items()}, bad


def seed(*parts: str | int) -> int:
    """A seed of 63 bits that depends on all parts and on nothing else."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
