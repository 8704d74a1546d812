"""Its function is an instance of a class."""

import json


class Model:
    def __init__(self):
        self.weights = json.load(open("weights.json"))

    def __call__(self, x):
        return self.predict(x)

    def predict(self, x):
        return float(sum(w * v for w, v in zip(self.weights, x)))


f = Model()
