"""Many threads that spin without the interpreter's lock, to use more processor time than the limit says.

Must: cpu_limit
Limits: cpu_seconds=1 wall_seconds=20
"""
import hashlib
import threading

print("began", flush=True)
BLOCK = bytes(1 << 22)


def spin():
    while True:
        hashlib.sha256(BLOCK)


def f(x):
    for _ in range(8):
        threading.Thread(target=spin, daemon=True).start()
    spin()
