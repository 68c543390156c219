"""Launches: what a request is checked against, and what would happen to it."""
