"""The problems: a folder is a domain, a folder in it a task."""
