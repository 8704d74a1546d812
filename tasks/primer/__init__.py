"""One-function problems with a control and machine-learning flavour, small enough for a model of 135 million parameters."""
