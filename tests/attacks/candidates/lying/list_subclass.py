"""A list that says another length every time.

Must: wrong_type
Asks: floats
"""
print("began", flush=True)


class Long(list):
    def __len__(self):
        return 4

    def __iter__(self):
        while True:
            yield 0.0


def f(x):
    return Long()
