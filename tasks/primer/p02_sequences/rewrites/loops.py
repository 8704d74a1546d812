"""p02 as plain loops over indices.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""


def root_mean_square(values):
    total = 0.0
    for v in values:
        total += v**2
    return (total / len(values)) ** 0.5


def mean_absolute(values):
    total = 0.0
    for v in values:
        total += v if v >= 0 else -v
    return total / len(values)


def average(values):
    total = 0.0
    count = 0
    for v in values:
        total += v
        count += 1
    return total / count


def exceedances(values, threshold):
    count = 0
    for i in range(len(values)):
        if values[i] > threshold:
            count += 1
    return count


def alarm_index(values, threshold):
    i = 0
    while i < len(values):
        if values[i] > threshold:
            return i
        i += 1
    return -1


def window_means(values, window):
    result = []
    for i in range(window, len(values) + 1):
        total = 0.0
        for j in range(i - window, i):
            total += values[j]
        result.append(total / window)
    return result


def smoothed(values, alpha):
    result = []
    y = values[0]
    for v in values:
        y = y + alpha * (v - y)
        result.append(y)
    return result


def rate_limited(values, change):
    result = [values[0]]
    for i in range(1, len(values)):
        move = values[i] - result[-1]
        if move > change:
            move = change
        elif move < -change:
            move = -change
        result.append(result[-1] + move)
    return result


def rectangle_sum(values, dt):
    area = 0.0
    for v in values:
        area += v * dt
    return area


def trapezoid_sum(values, dt):
    area = 0.0
    for i in range(1, len(values)):
        area += 0.5 * dt * (values[i - 1] + values[i])
    return area


def slopes(values, dt):
    result = []
    for i in range(len(values) - 1):
        result.append((values[i + 1] - values[i]) / dt)
    return result


def running_sum(values):
    result = []
    total = 0
    for v in values:
        total += v
        result.append(total)
    return result


def held_above(values, threshold, count):
    for i in range(len(values) - count + 1):
        good = True
        for j in range(count):
            if values[i + j] <= threshold:
                good = False
        if good:
            return True
    return False


def shifted(values, offset):
    result = []
    for v in values:
        result.append(v - offset)
    return result


def amplified(values, gain):
    result = []
    for v in values:
        result.append(gain * v)
    return result


def overshoot_above(values, target):
    peak = values[0]
    for v in values:
        if v > peak:
            peak = v
    return peak - target
