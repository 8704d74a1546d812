"""Task t03: model predictive control with bounds on inputs and states."""
