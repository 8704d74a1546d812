"""Writes into its inputs, in the hope that the judge reads them again.

Must: input_changed
"""
print("began", flush=True)


def f(x):
    x[:] = 0.0
    return 0.0
