"""Looks for the folders, files and locks of other candidates.

Must: wrong_answer
Shows: looked
"""
import fcntl
import os
import re

import numpy as np

print("began", flush=True)


def f(x):
    home = os.environ["HOME"]
    for place in ("..", os.path.dirname(home), home + "/../w1", home + "/../w2"):
        try:
            names = os.listdir(place)
        except OSError:
            continue
        others = [name for name in names if re.fullmatch("w[0-9]+|assay-.*", name)]
        if others:
            print("breached: saw", others[:5], flush=True)
    for request in (os.inotify_init if hasattr(os, "inotify_init") else None,):
        if request:
            print("breached", flush=True)
    with open(np.__file__, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("locked by another", flush=True)
    print("looked", flush=True)
    return 0.0
