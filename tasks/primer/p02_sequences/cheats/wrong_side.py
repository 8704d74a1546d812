"""Each comparison decided the other way at equality, an index or a length off by one: near misses under the families' names."""


def exceedances(values, threshold):
    return sum(v >= threshold for v in values)


def alarm_index(values, threshold):
    return next((i for i, v in enumerate(values) if v >= threshold), -1)


def held_above(values, threshold, count):
    run = 0
    for v in values:
        run = run + 1 if v > threshold else 0
        if run > count:
            return True
    return False


def window_means(values, window):
    return [sum(values[i : i + window]) / window for i in range(len(values) - window)]


def running_sum(values):
    return [sum(values[:i]) for i in range(len(values))]


def trapezoid_sum(values, dt):
    return dt * sum(values)


def smoothed(values, alpha):
    found = [0.0]
    for v in values:
        found.append(alpha * v + (1 - alpha) * found[-1])
    return found[1:]
