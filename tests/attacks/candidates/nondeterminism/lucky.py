"""Guesses, a new guess in each process, in the hope that one try of many is counted.

Must: wrong_answer
Limits: cpu_seconds=5
"""
import random

print("began", flush=True)
GUESS = [float(random.randint(2, 997)) for _ in range(4)]


def f(x):
    return float(sum(w * v for w, v in zip(GUESS, x)))
