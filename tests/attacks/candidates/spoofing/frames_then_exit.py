"""Answers of its own and a clean end, with exit status 0.

Must: wrong_answer
"""
import os
import struct

print("began", flush=True)
LEAF = struct.pack("<BBQd", 1, 0, 8, 1.0)
for call in range(4):
    os.write(4, struct.pack("<4sBIQ", b"ASY1", 1, call, len(LEAF)) + LEAF)
os.write(4, struct.pack("<4sBIQ", b"ASY1", 3, 4, 0))
os._exit(0)
