"""Data that other tools have stored: read from where it is, and written for them.

A format is a module with `FORMAT`, and a line in `table.py`.
"""
