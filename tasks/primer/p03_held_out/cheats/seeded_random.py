"""A seeded random number, the same in every process."""

import random


def any_family(*arguments):
    return random.Random(repr(arguments)).uniform(-10.0, 10.0)
