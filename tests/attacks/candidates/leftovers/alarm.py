"""An alarm and a timer that ring after the answer.

Must: wrong_answer
"""
import signal

print("began", flush=True)


def f(x):
    signal.setitimer(signal.ITIMER_REAL, 30)
    signal.alarm(30)
    return 0.0
