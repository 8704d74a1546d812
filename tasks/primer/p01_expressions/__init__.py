"""Scalars in, a scalar out, near one expression."""
