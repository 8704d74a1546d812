"""An exception whose traceback has no end.

Must: cpu_limit exception early_exit memory_limit
Limits: cpu_seconds=1 wall_seconds=20
"""
print("began", flush=True)


class Endless(Exception):
    @property
    def __traceback__(self):
        return self

    tb_frame = property(lambda self: self)
    f_code = property(lambda self: self)
    co_filename = "solution.py"
    tb_lineno = 1
    tb_next = property(lambda self: self)


def f(x):
    raise Endless
