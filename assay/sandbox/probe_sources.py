"""The hostile programs of `assay.sandbox.probe`: each has `probe(...) -> str` and prints `began` before it does harm.

They are text here, and code only inside the sandbox.
"""

from __future__ import annotations

_BEGIN = """
import os, sys, time
print("began", flush=True)
"""

SOURCES: dict[str, str] = {
    "processes": _BEGIN
    + """
def probe():
    made, refused = 0, 0
    for _ in range(30):
        try:
            pid = os.fork()
        except OSError:
            refused += 1
            continue
        if pid == 0:
            try:
                os.setsid()
                for _ in range(3):
                    os.fork()
            finally:
                time.sleep(600)
        made += 1
    return f"{made} processes made, {refused} refused"
""",
    "threads": _BEGIN
    + """
import threading

def probe():
    wait = threading.Event()
    for _ in range(5000):
        threading.Thread(target=wait.wait, daemon=True).start()
    return "5000 threads"
""",
    "memory": _BEGIN
    + """
def probe():
    kept = []
    for _ in range(1024):
        kept.append(bytearray(b"x" * (1 << 22)))
    return f"{len(kept)} blocks"
""",
    "processor": _BEGIN
    + """
import signal

def probe():
    for number in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass
""",
    "wall": _BEGIN
    + """
import signal

def probe():
    while True:
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(600)
""",
    "files": _BEGIN
    + """
def probe():
    for index in range(64):
        with open(f"file{index}", "wb") as file:
            file.write(b"x" * (1 << 18))
            file.flush()
            os.fsync(file.fileno())
    with open("large", "wb") as file:
        file.write(b"x" * (1 << 24))
    return "16 MiB and more written"
""",
    "flood": _BEGIN
    + """
def probe():
    while True:
        print("x" * 10000)
""",
    "network": _BEGIN
    + """
import socket

def probe(port):
    try:
        socket.create_connection(("127.0.0.1", port), 2).close()
    except OSError as error:
        return type(error).__name__
    return "connected"
""",
    "hidden": _BEGIN
    + """
def probe(*paths):
    read = []
    for path in (*paths, "/etc/passwd", "/etc/shadow", "/proc/self/environ", "/proc/1/environ", "/proc/self/maps"):
        try:
            open(path, "rb").read(1)
        except OSError:
            continue
        read.append(path)
    return " ".join(read)
""",
    "environment": _BEGIN
    + """
def probe():
    return " ".join(os.environ)
""",
    "exec": _BEGIN
    + """
import subprocess

def probe():
    tried = 0
    for shell in ("/bin/sh", "/usr/bin/env", sys.executable):
        tried += 1
        try:
            subprocess.run([shell, "-c", "echo escaped"], timeout=5)
        except OSError:
            pass
    try:
        os.execv("/bin/sh", ["sh", "-c", "echo escaped"])
    except OSError as error:
        return f"{tried + 1} tries, {type(error).__name__}"
""",
    "privileges": _BEGIN
    + """
import ctypes

def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", b"/", b"tmpfs", 0, None) == 0 or libc.unshare(0x10000000) == 0:
        return "mounted"
    os.setuid(0)
    if os.getuid() != 0:
        raise PermissionError
    os.chroot("/")
    return "root"
""",
    "frames": _BEGIN
    + """
def probe(forged):
    wrote = 0
    for number in range(3, 256):
        try:
            os.write(number, bytes.fromhex(forged))
            wrote += 1
        except OSError:
            pass
    os._exit(0 if wrote else 1)
""",
    "exit": _BEGIN
    + """
import atexit

def probe():
    atexit.register(print, "passed")
    os._exit(0)
""",
    "leftovers": """
import os

NAME = "left-by-a-probe"
FOLDERS = (".", "/tmp", "/dev/shm", "/var/tmp", os.environ["HOME"])

def probe():
    found, wrote = 0, 0
    for folder in FOLDERS:
        found += os.path.exists(f"{folder}/{NAME}")
    for folder in FOLDERS:
        try:
            with open(f"{folder}/{NAME}", "w") as file:
                file.write("here")
            wrote += open(f"{folder}/{NAME}").read() == "here"
        except OSError:
            pass
    return f"{found} {wrote}"
""",
    "seeds": """
import random
import numpy as np

def probe():
    return f"{hash('text')} {random.random()} {np.random.random()}"
""",
}
