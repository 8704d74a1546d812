"""Honest solutions in odd styles, and tests that each scores as the plain one."""
