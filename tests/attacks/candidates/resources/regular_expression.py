"""A regular expression that needs exponential time.

Must: cpu_limit
Limits: cpu_seconds=1 wall_seconds=20
"""
import re

print("began", flush=True)


def f(x):
    return float(bool(re.match(r"(a+)+$", "a" * 64 + "b")))
