"""The recipes of CONTRIBUTING, followed on a copy of the project."""
