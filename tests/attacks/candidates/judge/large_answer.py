"""An answer that is as contracted and larger than all answers may be.

Must: output_limit
Asks: large
Limits: answer_bytes=4096 memory_bytes=1073741824
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.zeros((1024, 2048))
