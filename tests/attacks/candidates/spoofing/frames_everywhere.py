"""Well-formed frames on every descriptor: a fault-free end without an answer.

Must: forbidden early_exit
"""
import os
import struct

print("began", flush=True)


def f(x):
    frame = struct.pack("<4sBIQ", b"ASY1", 3, 4, 0)
    for number in range(3, 256):
        try:
            os.write(number, frame)
        except OSError:
            pass
    os._exit(0)
