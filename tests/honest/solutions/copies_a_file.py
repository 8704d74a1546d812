"""Copies a file with its mode and its times, as shutil.copy and copy2 do."""

import json
import shutil

shutil.copy("weights.json", "mine.json")
shutil.copy2("weights.json", "mine_too.json")
WEIGHTS = json.load(open("mine.json"))


def f(x):
    return float(sum(w * v for w, v in zip(WEIGHTS, x)))
