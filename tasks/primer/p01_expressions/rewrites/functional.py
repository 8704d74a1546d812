"""p01 in a functional style: lambdas, sums of products, medians.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

from functools import reduce
from operator import mul, sub


def _dot(gains, terms):
    return reduce(lambda total, pair: total + pair[0] * pair[1], zip(gains, terms, strict=False), 0.0)


def saturation(u, low, high):
    return sorted((low, u, high))[1]


def dead_zone(x, width):
    return {True: 0.0, False: x}[abs(x) < width]


def leaky_unit(x, slope):
    return max(x, 0.0) + slope * min(x, 0.0)


def hinge_loss(score, label):
    return max((0.0, 1.0 - mul(score, label)))


def euler_advance(x, rate, dt):
    return _dot((1.0, dt), (x, rate))


def backward_euler(x, u, dt, tau):
    return _dot((tau / (tau + dt), dt / (tau + dt)), (x, u))


def residual_test(measured, predicted, threshold):
    return not -threshold <= sub(measured, predicted) <= threshold


def smoothing_update(previous, x, alpha):
    return _dot((alpha, 1.0 - alpha), (x, previous))


def proportional(setpoint, measured, gain):
    return mul(gain, sub(setpoint, measured))


def proportional_derivative(error, previous_error, kp, kd):
    return _dot((kp + kd, -kd), (error, previous_error))


def pid_sum(error, integral, derivative, kp, ki, kd):
    return _dot((kp, ki, kd), (error, integral, derivative))


def gradient_descent(weight, gradient, rate):
    return _dot((1.0, -rate), (weight, gradient))


def adc_voltage(code, reference, levels):
    return (lambda share: share * reference)(code / levels)


def unit_interval(x, low, high):
    return (lambda scale: scale * x - scale * low)(1.0 / (high - low))


def sensor_line(raw, gain, offset):
    return _dot((gain, 1.0), (raw, offset))


def interpolated(x, x0, y0, x1, y1):
    return _dot(((x1 - x) / (x1 - x0), (x - x0) / (x1 - x0)), (y0, y1))


def relative_deviation(measured, true):
    return abs(1.0 - measured / true)


def to_celsius(fahrenheit):
    return _dot((5.0 / 9.0, -160.0 / 9.0), (fahrenheit, 1.0))
