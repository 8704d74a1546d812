"""Output that isn't UTF-8: 0xF0, nulls, terminal commands.

Must: wrong_answer
"""
import os

print("began", flush=True)
os.write(1, b"\xf0\x00\xff\xfe" * 1000 + b"\x1b]0;owned\x07\x1b[2J" + bytes(range(256)))
os.write(2, b"\xf0")


def f(x):
    return 0.0
