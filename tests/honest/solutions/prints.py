"""Prints a lot, on both streams, by four ways."""

import json
import os
import sys

WEIGHTS = json.load(open("weights.json"))
print("loading", WEIGHTS, flush=True)


def f(x):
    print("x =", x)
    print("progress 50%\r", end="", file=sys.stderr)
    sys.stdout.write("score: 1.0\n")
    os.write(1, b"done \xf0\n")
    return sum(w * float(v) for w, v in zip(WEIGHTS, x))
