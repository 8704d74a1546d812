"""A shell in the background.

Must: exception
"""
import subprocess

print("began", flush=True)


def f(x):
    subprocess.Popen(["/bin/sh", "-c", "echo breached; sleep 300"], start_new_session=True)
    return 0.0
