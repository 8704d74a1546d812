"""NaN, which a comparison written the other way round lets through.

Must: not_finite
"""
print("began", flush=True)


def f(x):
    return float("nan")
