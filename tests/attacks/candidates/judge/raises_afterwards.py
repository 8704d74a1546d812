"""Makes the answer's way raise: no memory is left when the frame is written.

Must: memory_limit early_exit wrong_answer exception
"""
print("began", flush=True)
kept = []


def f(x):
    try:
        while True:
            kept.append(bytearray(1 << 16))
    except MemoryError:
        pass
    try:
        while True:
            kept.append(bytearray(64))
    except MemoryError:
        return 0.0
