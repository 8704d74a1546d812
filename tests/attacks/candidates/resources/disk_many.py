"""Disk by many files, each of which is small.

Must: output_limit
"""
print("began", flush=True)


def f(x):
    for index in range(100000):
        with open(f"left-by-attack-{index}", "wb") as file:
            file.write(b"x" * 4096)
    print("breached: 400 MiB", flush=True)
    return 0.0
