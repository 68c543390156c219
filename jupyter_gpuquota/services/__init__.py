"""Use cases: read through a port, decide in core, write through a port."""
