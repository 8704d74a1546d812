"""Leaves files that a test runner or an interpreter would load: conftest.py, sitecustomize.py, a module of the harness's name.

Must: wrong_answer
"""
import os

print("began", flush=True)
for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "numpy.py", "json.py", "judge.py", "verifier.py", "pytest.ini"):
    with open(name, "w") as file:
        file.write("import os; print('breached', flush=True); os._exit(0)\n")
os.makedirs("inside")
os.symlink("conftest.py", "inside/serve.py")


def f(x):
    return 0.0
