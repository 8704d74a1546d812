"""Waits while it is loaded, in a lock of its own.

Must: wall_limit
Limits: wall_seconds=2
"""
import threading

print("began", flush=True)
lock = threading.Lock()
lock.acquire()
lock.acquire()
