"""A number out of an address and the clock."""

import time


def any_family(*arguments):
    return float((id(object()) + time.time_ns()) % 97)
