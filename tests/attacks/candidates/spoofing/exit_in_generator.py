"""GeneratorExit, KeyboardInterrupt and an exception group, raised to look like an end.

Must: exception
"""
print("began", flush=True)


def f(x):
    raise BaseExceptionGroup("done", [GeneratorExit(), KeyboardInterrupt(), SystemExit(0)])
