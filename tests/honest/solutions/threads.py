"""Plain threads with a queue and a lock."""

import json
import queue
import threading

WEIGHTS = json.load(open("weights.json"))


def f(x):
    parts = queue.Queue()
    threads = [threading.Thread(target=lambda w=w, v=v: parts.put(w * v)) for w, v in zip(WEIGHTS, x.tolist())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(parts.get() for _ in threads)
