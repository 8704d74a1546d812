"""One task: the filtered states of a linear-Gaussian system."""
