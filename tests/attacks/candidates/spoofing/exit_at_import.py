"""sys.exit(0) while it is loaded.

Must: early_exit
"""
import sys

print("began", flush=True)
sys.exit(0)
