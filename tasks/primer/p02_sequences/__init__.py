"""One list of numbers and a parameter: a short loop."""
