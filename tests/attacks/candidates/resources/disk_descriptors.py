"""Files that are unlinked while open, so that no folder shows them.

Must: output_limit exception
"""
import tempfile

print("began", flush=True)


def f(x):
    kept = []
    for _ in range(40):
        kept.append(tempfile.TemporaryFile())
        kept[-1].write(b"x" * (1 << 19))
        kept[-1].flush()
    print("breached: 20 MiB in unlinked files", flush=True)
    return 0.0
