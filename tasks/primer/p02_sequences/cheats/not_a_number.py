"""NaN, for a comparison that is written the wrong way round."""


def any_family(*arguments):
    return float("nan")
