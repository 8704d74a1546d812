"""Families that are never trained on."""
