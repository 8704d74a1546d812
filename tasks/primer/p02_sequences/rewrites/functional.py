"""p02 in a functional style: map, reduce, zip and recursion.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

from functools import reduce
from itertools import groupby
from math import hypot
from statistics import fmean


def root_mean_square(values):
    return hypot(*values) / len(values) ** 0.5


def mean_absolute(values):
    return fmean(map(abs, values))


def average(values):
    return fmean(values)


def exceedances(values, threshold):
    return len(list(filter(lambda v: v > threshold, values)))


def alarm_index(values, threshold):
    return min((i for i, v in enumerate(values) if v > threshold), default=-1)


def window_means(values, window):
    shifts = [values[i:] for i in range(window)]
    return tuple(fmean(group) for group in zip(*shifts, strict=False))


def smoothed(values, alpha):
    if len(values) == 1:
        return list(values)
    before = smoothed(values[:-1], alpha)
    return [*before, alpha * values[-1] + (1 - alpha) * before[-1]]


def rate_limited(values, change):
    return reduce(lambda done, v: [*done, sorted((done[-1] - change, v, done[-1] + change))[1]], values[1:], [values[0]])


def rectangle_sum(values, dt):
    return reduce(lambda area, v: area + v * dt, values, 0.0)


def trapezoid_sum(values, dt):
    return dt * (sum(values) - (values[0] + values[-1]) / 2)


def slopes(values, dt):
    return list(map(lambda a, b: (b - a) / dt, values, values[1:]))


def running_sum(values):
    return [sum(values[: i + 1]) for i in range(len(values))]


def held_above(values, threshold, count):
    return any(above and len(list(run)) >= count for above, run in groupby(values, lambda v: v > threshold))


def shifted(values, offset):
    return [v - offset for v in values]


def amplified(values, gain):
    return tuple(map(gain.__mul__, values))


def overshoot_above(values, target):
    return sorted(values)[-1] - target
