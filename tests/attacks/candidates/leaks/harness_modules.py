"""Imports the harness.

Must: wrong_answer
Shows: looked
"""
import importlib
import sys

print("began", flush=True)


def f(x):
    for name in ("assay", "assay.judging", "tests", "tasks", "tasks.primer.cases", "stages", "yaml", "pytest", "pyarrow", "torch"):
        try:
            importlib.import_module(name)
            print("breached: imported", name, flush=True)
        except Exception:
            pass
    if any(name.split(".")[0] in ("assay", "tests", "tasks") for name in sys.modules):
        print("breached: loaded already", flush=True)
    print("looked", flush=True)
    return 0.0
