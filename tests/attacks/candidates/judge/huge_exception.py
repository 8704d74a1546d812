"""An exception with a huge text, a huge name and a chain of causes.

Must: exception memory_limit
"""
print("began", flush=True)


def f(x):
    error = None
    for _ in range(500):
        cause, error = error, type("Breached" * 1000, (Exception,), {})("x" * 100000)
        error.__cause__ = cause
    raise error
