"""Decisions on snapshots."""
