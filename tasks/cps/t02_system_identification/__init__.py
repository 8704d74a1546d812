"""One task: a linear plant identified from its inputs and outputs, and forecasts with their uncertainty."""
