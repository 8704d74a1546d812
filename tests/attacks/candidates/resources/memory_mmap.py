"""Memory by anonymous shared maps, which no allocator sees; then by maps of a file in the work folder.

Must: wrong_answer output_limit memory_limit exception
"""
import mmap

print("began", flush=True)


def f(x):
    kept, size = [], 1 << 24
    for _ in range(64):
        kept.append(mmap.mmap(-1, size))
        kept[-1][:] = b"x" * size
    print("breached: 1 GiB of shared maps", flush=True)
    return 0.0
