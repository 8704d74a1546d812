"""Disk in a folder that its owner may enter but not list, so that whoever measures the work folder sees nothing.

Must: output_limit
"""
import os
import time

print("began", flush=True)


def f(x):
    os.makedirs("left-by-attack", 0o300, exist_ok=True)
    for index in range(16):
        with open(f"left-by-attack/{index}", "wb") as file:
            file.write(b"x" * (1 << 19))
    time.sleep(0.6)
    print("breached: 8 MiB in a closed folder", flush=True)
    return 0.0
