"""Reference of p01: each family as its equation.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""


def saturation(u, low, high):
    """Limit u to [low, high]."""
    return max(low, min(high, u))


def dead_zone(x, width):
    """Ignore what is smaller than the band."""
    return 0.0 if abs(x) < width else x


def leaky_unit(x, slope):
    """The leaky rectifier."""
    return x if x > 0 else slope * x


def hinge_loss(score, label):
    """The margin that is missing."""
    return max(0.0, 1.0 - score * label)


def euler_advance(x, rate, dt):
    """One explicit step."""
    return x + rate * dt


def backward_euler(x, u, dt, tau):
    """One implicit step of tau dx/dt = u - x."""
    return (tau * x + dt * u) / (tau + dt)


def residual_test(measured, predicted, threshold):
    """Alarm where the residual is too large."""
    return abs(measured - predicted) > threshold


def smoothing_update(previous, x, alpha):
    """One step of exponential smoothing."""
    return previous + alpha * (x - previous)


def proportional(setpoint, measured, gain):
    """A P controller."""
    return gain * (setpoint - measured)


def proportional_derivative(error, previous_error, kp, kd):
    """A PD controller."""
    return kp * error + kd * (error - previous_error)


def pid_sum(error, integral, derivative, kp, ki, kd):
    """A PID controller."""
    return kp * error + ki * integral + kd * derivative


def gradient_descent(weight, gradient, rate):
    """One step downhill."""
    return weight - rate * gradient


def adc_voltage(code, reference, levels):
    """The voltage of a code."""
    return reference * code / levels


def unit_interval(x, low, high):
    """Min-max normalisation."""
    return (x - low) / (high - low)


def sensor_line(raw, gain, offset):
    """A calibrated reading."""
    return raw * gain + offset


def interpolated(x, x0, y0, x1, y1):
    """The line through two points."""
    share = (x - x0) / (x1 - x0)
    return (1.0 - share) * y0 + share * y1


def relative_deviation(measured, true):
    """The error as a share of the truth."""
    return abs((measured - true) / true)


def to_celsius(fahrenheit):
    """Degrees Celsius."""
    return (fahrenheit - 32.0) / 1.8
