"""What is timed or measured, against what, in one run."""
