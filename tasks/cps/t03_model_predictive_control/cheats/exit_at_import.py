"""Ends the process while it is loaded."""

import sys

sys.exit(0)
