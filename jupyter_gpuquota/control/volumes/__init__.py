"""Volumes that a controller keeps itself."""
