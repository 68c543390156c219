"""Idle policy: activity, limits, exemptions, warnings and ends."""
