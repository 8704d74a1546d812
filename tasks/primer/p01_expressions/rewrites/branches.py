"""p01 as plain branches and small steps.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""


def saturation(u, low, high):
    if u > high:
        return high
    if u < low:
        return low
    return u


def dead_zone(x, width):
    if -width < x < width:
        return 0
    return x


def leaky_unit(x, slope):
    result = x
    if x <= 0:
        result *= slope
    return result


def hinge_loss(score, label):
    margin = 1 - label * score
    if margin < 0:
        margin = 0
    return margin


def euler_advance(x, rate, dt):
    change = dt * rate
    x += change
    return x


def backward_euler(x, u, dt, tau):
    a = dt / tau
    top = x + a * u
    return top / (1 + a)


def residual_test(measured, predicted, threshold):
    residual = measured - predicted
    if residual < 0:
        residual = -residual
    return residual > threshold


def smoothing_update(previous, x, alpha):
    result = alpha * x
    result += (1 - alpha) * previous
    return result


def proportional(setpoint, measured, gain):
    error = setpoint - measured
    return error * gain


def proportional_derivative(error, previous_error, kp, kd):
    output = kp * error
    output += kd * (error - previous_error)
    return output


def pid_sum(error, integral, derivative, kp, ki, kd):
    output = 0.0
    for gain, term in ((kp, error), (ki, integral), (kd, derivative)):
        output += gain * term
    return output


def gradient_descent(weight, gradient, rate):
    weight -= rate * gradient
    return weight


def adc_voltage(code, reference, levels):
    per_level = reference / levels
    return per_level * code


def unit_interval(x, low, high):
    span = high - low
    above = x - low
    return above / span


def sensor_line(raw, gain, offset):
    value = raw
    value *= gain
    value += offset
    return value


def interpolated(x, x0, y0, x1, y1):
    slope = (y1 - y0) / (x1 - x0)
    return y0 + slope * (x - x0)


def relative_deviation(measured, true):
    error = measured - true
    if error < 0:
        error = -error
    if true < 0:
        true = -true
    return error / true


def to_celsius(fahrenheit):
    shifted = fahrenheit - 32
    return shifted * 5 / 9
