"""Memory by lists of fresh text.

Must: memory_limit
"""
print("began", flush=True)


def f(x):
    kept = []
    while True:
        kept.append("x" * (1 << 20) + str(len(kept)))
