"""p01 with numpy scalars.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""

import numpy as np


def saturation(u, low, high):
    return np.clip(np.float64(u), low, high)


def dead_zone(x, width):
    return np.where(np.abs(x) < width, 0.0, x)[()]


def leaky_unit(x, slope):
    return np.where(np.float64(x) > 0, x, slope * x)[()]


def hinge_loss(score, label):
    return np.maximum(0.0, 1.0 - np.multiply(score, label))


def euler_advance(x, rate, dt):
    return np.dot([1.0, dt], [x, rate])


def backward_euler(x, u, dt, tau):
    return np.linalg.solve(np.array([[1.0 + dt / tau]]), np.array([x + dt / tau * u]))[0]


def residual_test(measured, predicted, threshold):
    return np.greater(np.abs(np.subtract(measured, predicted)), threshold)


def smoothing_update(previous, x, alpha):
    return np.average([x, previous], weights=[alpha, 1.0 - alpha])


def proportional(setpoint, measured, gain):
    return np.multiply(gain, np.subtract(setpoint, measured))


def proportional_derivative(error, previous_error, kp, kd):
    return np.dot([kp, kd], [error, error - previous_error])


def pid_sum(error, integral, derivative, kp, ki, kd):
    return np.dot([kp, ki, kd], [error, integral, derivative])


def gradient_descent(weight, gradient, rate):
    return np.float64(weight) - np.float64(rate) * gradient


def adc_voltage(code, reference, levels):
    return np.true_divide(code * reference, levels)


def unit_interval(x, low, high):
    return np.true_divide(x - low, high - low)


def sensor_line(raw, gain, offset):
    return np.polyval([gain, offset], raw)


def interpolated(x, x0, y0, x1, y1):
    return np.polyval([(y1 - y0) / (x1 - x0), y0], x - x0)


def relative_deviation(measured, true):
    return np.abs(np.true_divide(measured, true) - 1.0)


def to_celsius(fahrenheit):
    return np.subtract(fahrenheit, 32.0) * (5.0 / 9.0)
