"""Scheduling: who starts, who gives GPUs back, and why the others wait."""
