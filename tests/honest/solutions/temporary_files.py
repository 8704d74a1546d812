"""Temporary files, folders and a database in the work folder."""

import json
import os
import pathlib
import shutil
import sqlite3
import tempfile

import numpy as np

WEIGHTS = json.load(open("weights.json"))


def f(x):
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w+") as file:
        np.save(pathlib.Path(folder, "x.npy"), x)
        shutil.copyfile(os.path.join(folder, "x.npy"), "copy.npy")
        file.write("text")
        kept = np.load("copy.npy")
    with sqlite3.connect(":memory:") as database:
        (total,) = database.execute("select ? + ?", (float(WEIGHTS[0] * kept[0]), float(WEIGHTS[1] * kept[1]))).fetchone()
    return total + float(WEIGHTS[2] * kept[2] + WEIGHTS[3] * kept[3])
