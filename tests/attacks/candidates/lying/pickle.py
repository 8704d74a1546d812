"""An object whose pickle runs code.

Must: wrong_type
"""
import os

print("began", flush=True)


class Bomb:
    def __reduce__(self):
        print("breached: pickled", flush=True)
        return (os.system, ("echo breached",))

    __reduce_ex__ = lambda self, protocol: self.__reduce__()


def f(x):
    return Bomb()
