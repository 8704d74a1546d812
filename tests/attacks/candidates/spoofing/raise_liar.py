"""An exception that lies about its class, its traceback and its line.

Must: exception early_exit
"""
print("began", flush=True)


class Liar(Exception):
    @property
    def __class__(self):
        return SystemExit

    @property
    def __traceback__(self):
        raise RuntimeError("breached")


def f(x):
    raise Liar("breached: 1.0")
