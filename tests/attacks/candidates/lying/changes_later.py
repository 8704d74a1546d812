"""An array that a thread goes on changing after it was returned.

Must: wrong_answer not_finite nondeterministic
Asks: array
"""
import threading

import numpy as np

print("began", flush=True)
ARRAY = np.zeros(4)


def change():
    value = 0.0
    while True:
        value += 1.0
        ARRAY[:] = value


threading.Thread(target=change, daemon=True).start()


def f(x):
    return ARRAY
