"""Simulated clusters: scenarios that run with a simulated clock."""
