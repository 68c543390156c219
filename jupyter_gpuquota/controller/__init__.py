"""The controller: the resident process that runs a backend."""
