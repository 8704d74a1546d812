"""More on the result's pipe than all answers may take.

Must: output_limit
"""
import os

print("began", flush=True)


def f(x):
    block = bytes(1 << 20)
    while True:
        os.write(4, block)
