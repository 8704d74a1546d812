"""Files of every kind in the work folder, read-only, hidden and deep.

Must: wrong_answer
"""
import os

print("began", flush=True)
for name in (".left-by-attack", "left-by-attack\n", "left-by-attack \u202e", "-rf", "left-by-attack" + "x" * 200):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0))
os.mkdir("left-by-attack-folder")
os.close(os.open("left-by-attack-folder/file", os.O_CREAT | os.O_WRONLY, 0))


def f(x):
    return 0.0
