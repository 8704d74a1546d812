"""Tries things that are refused, and goes on without them."""

import json
import os
import socket
import subprocess

WEIGHTS = json.load(open("weights.json"))
for attempt in (lambda: socket.socket(), lambda: subprocess.run(["nproc"]), lambda: os.nice(5), lambda: open("/etc/hostname")):
    try:
        attempt()
    except OSError as error:
        print("went on without:", error)


def f(x):
    os.environ["MY_SETTING"] = "1"
    return float(sum(w * v for w, v in zip(WEIGHTS, x)))
