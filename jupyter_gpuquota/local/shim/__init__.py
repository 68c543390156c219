"""The keeper of one session: a program of its own, see `__main__`.

The controller shares its ways of reading /proc and of writing files; both use the standard library
only.
"""
