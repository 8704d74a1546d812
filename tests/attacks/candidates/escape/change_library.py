"""Changes a library's file that the next candidate would load, in ways that do no harm should they succeed.

Must: wrong_answer
Shows: tried
"""
import json
import os

import numpy as np

print("began", flush=True)


def really(action, path):
    """Where a call only says that it did something, the time of the last change tells."""
    before = os.stat(path).st_ctime_ns
    action(path)
    if os.stat(path).st_ctime_ns == before:
        raise OSError("nothing happened")


def f(x):
    for path in (np.__file__, json.__file__):
        for attempt in (
            lambda p: open(p, "a").close(),
            lambda p: os.link(p, p + ".left-by-attack"),
            lambda p: os.symlink(p, p + ".left-by-attack"),
            lambda p: os.truncate(p, os.path.getsize(p)),
            lambda p: really(lambda q: os.chmod(q, 0o644), p),
            lambda p: os.chown(p, os.getuid(), -1),
            lambda p: really(lambda q: os.utime(q, ns=(os.stat(q).st_atime_ns, os.stat(q).st_mtime_ns)), p),
            lambda p: os.link(p, "linked"),
        ):
            try:
                attempt(path)
                print("breached: changed", path, flush=True)
            except OSError:
                pass
    print("tried", flush=True)
    return 0.0
