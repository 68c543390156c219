"""The interfaces that a backend implements."""
