"""An integer so large that it has no float: it must be a wrong answer and no fault of the judge."""


def any_family(*arguments):
    return 10**400
