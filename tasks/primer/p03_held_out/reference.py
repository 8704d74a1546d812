"""Reference of p03: each family as its equation.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

import math
from itertools import pairwise


def mode_switch(values, jump):
    """The first jump, or -1."""
    for index in range(1, len(values)):
        if abs(values[index] - values[index - 1]) > jump:
            return index
    return -1


def kalman_mean(x, p, z, r):
    """The updated mean of a scalar Kalman filter."""
    return x + p / (p + r) * (z - x)


def huber(error, delta):
    """Quadratic near zero, linear beyond."""
    size = abs(error)
    return 0.5 * size**2 if size <= delta else delta * (size - 0.5 * delta)


def mean_squared(values):
    """The mean of the squares."""
    return sum(v * v for v in values) / len(values)


def on_share(states):
    """The share of ones."""
    return sum(states) / len(states)


def forward_command(velocity, acceleration, kv, ka):
    """Feed-forward of velocity and acceleration."""
    return kv * velocity + ka * acceleration


def swing(values):
    """Largest minus smallest."""
    return max(values) - min(values)


def two_point(temperature, low, high, heating):
    """A thermostat with hysteresis."""
    if temperature < low:
        return True
    if temperature > high:
        return False
    return heating


def sign_changes(values):
    """Neighbours of opposite sign."""
    return sum(1 for a, b in pairwise(values) if a * b < 0)


def quantised(x, step):
    """The multiple of the step below x."""
    return step * math.floor(x / step)


def logistic(x):
    """The logistic function."""
    return 1.0 / (1.0 + math.exp(-x))
