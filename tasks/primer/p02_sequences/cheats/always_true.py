"""A truth value that is right about half of the time."""


def any_family(*arguments):
    return True
