"""Timing, memory and reports."""
