"""p03 as plain loops and branches.

Every function has the name and the arguments of its family (families.py).
Score: 1.0
"""


def mode_switch(values, jump):
    previous = values[0]
    for i, v in enumerate(values):
        if v - previous > jump or previous - v > jump:
            return i
        previous = v
    return -1


def kalman_mean(x, p, z, r):
    total = p + r
    return (r * x + p * z) / total


def huber(error, delta):
    if error < 0:
        error = -error
    if error > delta:
        return delta * error - delta * delta / 2
    return error * error / 2


def mean_squared(values):
    total = 0
    for v in values:
        total += v**2
    return total / len(values)


def on_share(states):
    on = 0
    for state in states:
        if state == 1:
            on += 1
    return on / len(states)


def forward_command(velocity, acceleration, kv, ka):
    command = 0
    command += kv * velocity
    command += ka * acceleration
    return command


def swing(values):
    low = high = values[0]
    for v in values:
        if v < low:
            low = v
        if v > high:
            high = v
    return high - low


def two_point(temperature, low, high, heating):
    if heating:
        return not temperature > high
    return temperature < low


def sign_changes(values):
    count = 0
    for i in range(len(values) - 1):
        if values[i] > 0 > values[i + 1] or values[i] < 0 < values[i + 1]:
            count += 1
    return count


def quantised(x, step):
    return x // step * step


def logistic(x):
    e = 2.718281828459045**x
    return e / (1 + e)
