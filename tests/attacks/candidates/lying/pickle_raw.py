"""The bytes of a pickle on the result's pipe.

Must: forbidden
"""
import os
import pickle

print("began", flush=True)


class Bomb:
    def __reduce__(self):
        return (print, ("breached",))


def f(x):
    os.write(4, pickle.dumps(Bomb()))
    os._exit(0)
