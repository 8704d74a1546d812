"""A catalogue of hostile candidates, and tests that each scores 0 and leaves the host as it was."""
