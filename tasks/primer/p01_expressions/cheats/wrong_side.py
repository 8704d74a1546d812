"""Each comparison decided the other way at equality, and a sign or an order mistaken: near misses under the families' names."""


def saturation(u, low, high):
    return u if low < u < high else 0.0


def dead_zone(x, width):
    return 0.0 if abs(x) <= width else x


def hinge_loss(score, label):
    return max(0.0, 1.0 + score * label)


def residual_test(measured, predicted, threshold):
    return abs(measured - predicted) >= threshold


def euler_advance(x, rate, dt):
    return x - dt * rate


def proportional(setpoint, measured, gain):
    return gain * (measured - setpoint)


def gradient_descent(weight, gradient, rate):
    return weight + rate * gradient


def smoothing_update(previous, x, alpha):
    return alpha * previous + (1.0 - alpha) * x
