"""Threads that go on after the answer.

Must: wrong_answer
"""
import threading
import time

print("began", flush=True)


def on():
    while True:
        with open("left-by-attack", "a") as file:
            file.write("x")
        time.sleep(0.001)


def f(x):
    threading.Thread(target=on).start()
    return 0.0
