"""Its function is a closure, made by a decorator."""

import functools
import json


def weighted(path):
    with open(path) as file:
        weights = json.load(file)

    def decorate(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(*(w * v for w, v in zip(weights, x.tolist())))

        return wrapper

    return decorate


@weighted("weights.json")
def f(*parts):
    return sum(parts)
