"""One byte of an answer now and then, so that something always comes.

Must: wall_limit
Limits: wall_seconds=2
"""
import os
import struct
import time

print("began", flush=True)


def f(x):
    for byte in struct.pack("<4sBIQ", b"ASY1", 1, 0, 1 << 20) + bytes(1 << 20):
        os.write(4, bytes([byte]))
        time.sleep(0.1)
