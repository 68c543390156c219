"""Snapshots: immutable records of an experiment, and what can be done with them."""
