"""Makes and joins control groups.

Must: wrong_answer
Shows: tried
"""
import glob
import os

print("began", flush=True)


def f(x):
    for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids", *glob.glob("/sys/fs/cgroup/*/assay-*")):
        for attempt in (
            lambda p: os.mkdir(p + "/left-by-attack"),
            lambda p: open(p + "/cgroup.procs", "w").write("0"),
            lambda p: open(p + "/memory.max", "w").write("max"),
            lambda p: open(p + "/memory.limit_in_bytes", "w").write("-1"),
        ):
            try:
                attempt(place)
                print("breached", place, flush=True)
            except OSError:
                pass
    print("tried", flush=True)
    return 0.0
