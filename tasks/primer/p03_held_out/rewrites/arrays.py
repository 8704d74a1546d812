"""p03 with numpy.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

import numpy as np


def mode_switch(values, jump):
    places = np.flatnonzero(np.abs(np.diff(values)) > jump)
    return int(places[0]) + 1 if places.size else -1


def kalman_mean(x, p, z, r):
    return np.average([x, z], weights=[1.0 / p, 1.0 / r])


def huber(error, delta):
    near = np.minimum(np.abs(error), delta)
    return near * np.abs(error) - 0.5 * near**2


def mean_squared(values):
    return np.mean(np.square(values))


def on_share(states):
    return np.mean(states)


def forward_command(velocity, acceleration, kv, ka):
    return np.dot([kv, ka], [velocity, acceleration])


def swing(values):
    return np.ptp(values)


def two_point(temperature, low, high, heating):
    return np.less(temperature, low) | (np.bool_(heating) & np.less_equal(temperature, high))


def sign_changes(values):
    row = np.asarray(values)
    return np.count_nonzero(row[:-1] * row[1:] < 0)


def quantised(x, step):
    return np.floor(x / step) * step


def logistic(x):
    return 0.5 * (1.0 + np.tanh(0.5 * x))
