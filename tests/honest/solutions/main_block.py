"""Has a main block that must not run, with a command line of its own."""

import argparse
import json
import sys

WEIGHTS = json.load(open("weights.json"))


def f(x):
    return float(sum(w * v for w, v in zip(WEIGHTS, x)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("x", type=float, nargs=4)
    print(f(parser.parse_args().x))
    sys.exit(3)


if __name__ == "__main__":
    main()
