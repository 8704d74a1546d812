"""Folders that their owner may enter but not list: a cleaner that isn't root sees nothing in them.

Must: wrong_answer output_limit
"""
import os

print("began", flush=True)
for index in range(20):
    os.mkdir(f"left-by-attack-{index}", 0o300)
    with open(f"left-by-attack-{index}/data", "wb") as file:
        file.write(b"x" * 1000)
os.mkdir("left-by-attack-shut", 0)


def f(x):
    return 0.0
