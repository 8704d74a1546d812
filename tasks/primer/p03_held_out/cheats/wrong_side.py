"""Each comparison decided the other way at equality, and formulas nearly right: near misses under the families' names."""

import math


def mode_switch(values, jump):
    return next((i for i in range(1, len(values)) if abs(values[i] - values[i - 1]) >= jump), -1)


def kalman_mean(x, p, z, r):
    return x + r / (p + r) * (z - x)


def huber(error, delta):
    return 0.5 * error**2


def two_point(temperature, low, high, heating):
    return temperature <= low or (heating and temperature < high)


def sign_changes(values):
    return sum(a * b <= 0 for a, b in zip(values, values[1:]))


def quantised(x, step):
    return step * int(x / step)


def logistic(x):
    return 1.0 / (1.0 + math.exp(x))
