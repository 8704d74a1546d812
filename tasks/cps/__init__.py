"""Cyber-physical systems: estimation, identification, control, faults, hybrid systems."""
