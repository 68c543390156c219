"""Scenarios: the test bench of the scheduler."""
