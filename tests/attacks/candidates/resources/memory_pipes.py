"""Memory of the kernel: pipes as wide as they can be, all filled.

Must: wrong_answer exception
Shows: filled
"""
import fcntl
import os

print("began", flush=True)


def f(x):
    filled = 0
    try:
        while True:
            end, start = os.pipe()
            try:
                fcntl.fcntl(start, 1031, 1 << 20)
            except OSError:
                pass
            os.set_blocking(start, False)
            try:
                while True:
                    filled += os.write(start, b"x" * 65536)
            except BlockingIOError:
                pass
    except OSError:
        print("filled", filled, flush=True)
    if filled > 1 << 27:
        print("breached", flush=True)
    return 0.0
