"""Use cases: read through ports, decide in core, write through ports."""
