"""The state file of the local backend, and its recovery."""
