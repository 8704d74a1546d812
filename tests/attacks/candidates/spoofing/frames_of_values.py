"""Well-formed answers of its own, all four and the closing frame, then the honest ones behind them.

Must: wrong_answer forbidden
"""
import os
import struct

print("began", flush=True)
LEAF = struct.pack("<BBQd", 1, 0, 8, 1.0)


def f(x):
    for call in range(4):
        os.write(4, struct.pack("<4sBIQ", b"ASY1", 1, call, len(LEAF)) + LEAF)
    os.write(4, struct.pack("<4sBIQ", b"ASY1", 3, 4, 0))
    return 0.0
