"""An int subclass that is equal to everything.

Must: wrong_type
Asks: int
"""
print("began", flush=True)


class Number(int):
    def __eq__(self, other):
        return True

    def bit_length(self):
        return -1

    __hash__ = int.__hash__


def f(x):
    return Number(0)
