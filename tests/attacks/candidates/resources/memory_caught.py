"""Memory until MemoryError, which is caught, again and again.

Must: memory_limit cpu_limit
Limits: cpu_seconds=1
"""
print("began", flush=True)


def f(x):
    kept = []
    while True:
        try:
            kept.append(bytearray(b"x" * (1 << 22)))
        except MemoryError:
            if len(kept) > 200:
                print("breached: 800 MiB", flush=True)
