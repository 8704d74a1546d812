"""An object that is equal to everything, and is every number.

Must: wrong_type
"""
print("began", flush=True)


class Equal:
    def __eq__(self, other):
        return True

    def __float__(self):
        print("breached: asked for a float", flush=True)
        return 1.0

    __hash__ = None
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __sub__ = __rsub__ = __abs__ = __mul__ = lambda self, *a: 0.0


def f(x):
    return Equal()
