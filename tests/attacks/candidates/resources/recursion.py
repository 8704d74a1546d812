"""A recursion without an end and without a guard: the C stack overflows.

Must: crashed exception memory_limit
"""
import sys

print("began", flush=True)


def f(x):
    sys.setrecursionlimit(1 << 30)

    class Deep:
        def __getattr__(self, name):
            return getattr(self, name + "x")

    def down(n):
        return sorted([n], key=lambda m: down(m + 1))

    return down(0)
