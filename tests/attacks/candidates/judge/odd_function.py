"""A callable whose every attribute lies, and that takes no argument.

Must: exception
"""
print("began", flush=True)


class Odd:
    def __call__(self):
        return 0.0

    def __getattribute__(self, name):
        raise SystemExit(0)


f = Odd()
