"""A text larger than the machine.

Must: memory_limit
"""
print("began", flush=True)


def f(x):
    return float(len("x" * (1 << 36)))
