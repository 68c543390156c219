"""The controller: the one resident process that holds a backend."""
