"""An array of no bytes with dimensions whose product is beyond any number of bits.

Must: forbidden wrong_shape
Asks: floats
"""
import os
import struct

print("began", flush=True)


def f(x):
    leaf = struct.pack("<BBQ", 5, 8, 0) + struct.pack("<8Q", *[(1 << 64) - 1] * 7, 0)
    os.write(4, struct.pack("<4sBIQ", b"ASY1", 1, 0, len(leaf)) + leaf)
    os._exit(0)
