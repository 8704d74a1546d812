"""p02 with numpy arrays.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

import numpy as np


def root_mean_square(values):
    return np.sqrt(np.mean(np.square(values)))


def mean_absolute(values):
    return np.abs(values).mean()


def average(values):
    return np.mean(values)


def exceedances(values, threshold):
    return np.count_nonzero(np.asarray(values) > threshold)


def alarm_index(values, threshold):
    above = np.flatnonzero(np.asarray(values) > threshold)
    return above[0] if above.size else -1


def window_means(values, window):
    return np.convolve(values, np.ones(window) / window, mode="valid")


def smoothed(values, alpha):
    found = np.array(values, dtype=float)
    for i in range(1, len(found)):
        found[i] = alpha * found[i] + (1 - alpha) * found[i - 1]
    return found


def rate_limited(values, change):
    found = np.array(values, dtype=float)
    for i in range(1, len(found)):
        found[i] = np.clip(found[i], found[i - 1] - change, found[i - 1] + change)
    return found


def rectangle_sum(values, dt):
    return np.sum(values) * dt


def trapezoid_sum(values, dt):
    return np.trapezoid(values, dx=dt)


def slopes(values, dt):
    return np.diff(values) / dt


def running_sum(values):
    return np.cumsum(values)


def held_above(values, threshold, count):
    above = (np.asarray(values) > threshold).astype(int)
    return bool(np.any(np.convolve(above, np.ones(count, dtype=int)) >= count))


def shifted(values, offset):
    return np.asarray(values) - offset


def amplified(values, gain):
    return np.asarray(values) * gain


def overshoot_above(values, target):
    return np.max(np.asarray(values) - target)
