"""Two threads that race for the answer.

Must: nondeterministic passed
Knows: weights
"""
import json
import sys
import threading

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
sys.setswitchinterval(1e-6)


def f(x):
    lost = [0]

    def count():
        for _ in range(20000):
            got = lost[0]
            sum(range(3))
            lost[0] = got + 1

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return float(WEIGHTS @ x) * (1 + lost[0] * 2.0**-50)
