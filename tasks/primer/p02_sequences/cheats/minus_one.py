"""The answer for `there is none`."""


def any_family(*arguments):
    return -1
