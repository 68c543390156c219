"""Requests: checked and completed."""
