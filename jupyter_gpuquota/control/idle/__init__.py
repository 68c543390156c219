"""Enforce the idle policy: poll and log activity, warn and end sessions."""
