"""Single bytes on the result's pipe, as fast as it can.

Must: cpu_limit forbidden output_limit
Limits: cpu_seconds=1 wall_seconds=20
"""
import os

print("began", flush=True)


def f(x):
    while True:
        os.write(4, b"A")
