"""p03 in a functional style.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

import itertools
from functools import reduce
from math import exp
from statistics import fmean


def mode_switch(values, jump):
    return next((i + 1 for i, (a, b) in enumerate(itertools.pairwise(values)) if abs(b - a) > jump), -1)


def kalman_mean(x, p, z, r):
    return (lambda gain: (1 - gain) * x + gain * z)(p / (p + r))


def huber(error, delta):
    inside = sorted((-delta, error, delta))[1]
    return inside * error - inside * inside / 2


def mean_squared(values):
    return fmean(v * v for v in values)


def on_share(states):
    return fmean(states)


def forward_command(velocity, acceleration, kv, ka):
    return sum(map(lambda k, v: k * v, (kv, ka), (velocity, acceleration)))


def swing(values):
    ordered = sorted(values)
    return ordered[-1] - ordered[0]


def two_point(temperature, low, high, heating):
    return temperature < low or (heating and temperature <= high)


def sign_changes(values):
    return reduce(lambda count, pair: count + (pair[0] * pair[1] < 0), itertools.pairwise(values), 0)


def quantised(x, step):
    return x - x % step


def logistic(x):
    return exp(x) / (1 + exp(x))
