"""The shim, the supervisor of one session: a separate program, see `__main__`.

The controller also uses its modules for /proc and for writing files; they need the standard library
only.
"""
