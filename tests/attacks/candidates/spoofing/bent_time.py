"""Stops the clocks, so that no time seems to pass while it computes.

Must: cpu_limit
Limits: cpu_seconds=1 wall_seconds=20
"""
import time

print("began", flush=True)
time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0
time.sleep = lambda seconds: None


def f(x):
    while time.monotonic() < 1.0:
        pass
