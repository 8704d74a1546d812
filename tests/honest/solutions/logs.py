"""Logs to the console and to a file."""

import json
import logging

logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(name)s %(message)s")
log = logging.getLogger(__name__)
log.addHandler(logging.FileHandler("run.log"))
WEIGHTS = json.load(open("weights.json"))


def f(x):
    log.info("called with %s", x)
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("expected")
    return float(sum(w * v for w, v in zip(WEIGHTS, x)))
