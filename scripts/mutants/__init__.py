"""Mutants of the package: whether the tests notice small changes."""
