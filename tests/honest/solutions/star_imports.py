"""Star imports and late ones, of modules that nobody warmed."""

from json import *
from math import *
from statistics import *


def f(x):
    import calendar
    import csv
    import difflib
    import xml.etree.ElementTree
    import zoneinfo

    assert calendar and csv and difflib and xml and zoneinfo
    return fsum(w * v for w, v in zip(load(open("weights.json")), x.tolist()))
