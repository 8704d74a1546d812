"""A frame that claims 2**60 bytes.

Must: forbidden early_exit
"""
import os
import struct

print("began", flush=True)


def f(x):
    os.write(4, struct.pack("<4sBIQ", b"ASY1", 1, 0, 1 << 60) + b"x" * 1000)
    os._exit(0)
