"""A power that never ends, in C code that looks at no signal.

Must: cpu_limit memory_limit
Limits: cpu_seconds=1 wall_seconds=20
"""
print("began", flush=True)


def f(x):
    return float(len(str(9 ** (9**8))))
