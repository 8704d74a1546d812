"""Texts that models read, as .md files."""
