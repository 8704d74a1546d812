"""A str subclass that is equal to everything.

Must: wrong_type
Asks: text
"""
print("began", flush=True)


class Text(str):
    def __eq__(self, other):
        return True

    def encode(self, *a):
        print("breached: encoded", flush=True)
        return b"0"

    __hash__ = str.__hash__


def f(x):
    return Text("0")
