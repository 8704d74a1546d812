"""Makes devices and opens those of the host.

Must: wrong_answer
Shows: tried
"""
import os

print("began", flush=True)


def f(x):
    for kind, device in ((0o060000, os.makedev(8, 0)), (0o020000, os.makedev(1, 1)), (0o010000, 0)):
        try:
            os.mknod("left-by-attack", 0o666 | kind, device)
            print("breached: made", oct(kind), flush=True)
        except OSError:
            pass
    for name in ("mem", "kmem", "port", "sda", "vda", "kvm", "fuse", "tty", "ptmx", "console", "kmsg", "net/tun", "loop-control"):
        for mode in (os.O_RDONLY, os.O_RDWR):
            try:
                os.open(f"/dev/{name}", mode)
                print("breached: opened", name, flush=True)
            except OSError:
                pass
    print("tried", flush=True)
    return 0.0
