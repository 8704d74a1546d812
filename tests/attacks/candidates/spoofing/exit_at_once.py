"""Ends with status 0 before anything is asked.

Must: early_exit
"""
import os

print("began", flush=True)
os._exit(0)
