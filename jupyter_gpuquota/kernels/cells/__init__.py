"""Cells of a notebook that run in another kernel, with their outputs and variables."""
