"""Zeros in the shape of the input."""


def any_family(*arguments):
    lists = [value for value in arguments if isinstance(value, list)]
    return [0.0] * len(lists[0]) if lists else 0.0
