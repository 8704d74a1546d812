"""A little text that becomes gigabytes.

Must: memory_limit
"""
import zlib

print("began", flush=True)


def f(x):
    packer = zlib.compressobj(9)
    small = b"".join([packer.compress(bytes(1 << 20)) for _ in range(512)] + [packer.flush()])
    print("packed", len(small), flush=True)
    return float(len(zlib.decompress(small)))
