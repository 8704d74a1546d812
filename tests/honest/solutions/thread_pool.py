"""A pool of threads, and asyncio."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

WEIGHTS = json.load(open("weights.json"))


async def times(w, v):
    await asyncio.sleep(0)
    return w * v


async def all_of(x):
    return await asyncio.gather(*(times(w, v) for w, v in zip(WEIGHTS, x)))


def f(x):
    with ThreadPoolExecutor(max_workers=8) as pool:
        parts = list(pool.map(lambda pair: pair[0] * pair[1], zip(WEIGHTS, x.tolist())))
    assert parts == asyncio.run(all_of(x.tolist()))
    return sum(parts)
