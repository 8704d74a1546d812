"""Reference of p02: each family as a short loop or comprehension.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

import math
from itertools import accumulate, pairwise


def root_mean_square(values):
    """Square root of the mean square."""
    return math.sqrt(sum(v * v for v in values) / len(values))


def mean_absolute(values):
    """Mean of the absolute values."""
    return sum(abs(v) for v in values) / len(values)


def average(values):
    """The mean."""
    return sum(values) / len(values)


def exceedances(values, threshold):
    """How many are above."""
    return sum(1 for v in values if v > threshold)


def alarm_index(values, threshold):
    """The first place above, or -1."""
    for index, value in enumerate(values):
        if value > threshold:
            return index
    return -1


def window_means(values, window):
    """Means of full windows."""
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]


def smoothed(values, alpha):
    """Exponential smoothing from the first value on."""
    return list(accumulate(values, lambda y, v: alpha * v + (1 - alpha) * y))


def rate_limited(values, change):
    """Follow the values by at most `change` a step."""
    return list(accumulate(values, lambda y, v: y + max(-change, min(change, v - y))))


def rectangle_sum(values, dt):
    """The sum of rectangles."""
    return dt * sum(values)


def trapezoid_sum(values, dt):
    """The sum of trapezoids."""
    return sum((a + b) / 2 * dt for a, b in pairwise(values))


def slopes(values, dt):
    """Differences by the time step."""
    return [(b - a) / dt for a, b in pairwise(values)]


def running_sum(values):
    """Cumulative sums."""
    return list(accumulate(values))


def held_above(values, threshold, count):
    """Whether a run above is long enough."""
    run = 0
    for value in values:
        run = run + 1 if value > threshold else 0
        if run == count:
            return True
    return False


def shifted(values, offset):
    """Every value less the offset."""
    return [v - offset for v in values]


def amplified(values, gain):
    """Every value times the gain."""
    return [v * gain for v in values]


def overshoot_above(values, target):
    """How far the peak is above the target."""
    return max(values) - target
