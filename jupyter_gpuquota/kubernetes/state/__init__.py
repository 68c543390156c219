"""A session on a cluster: its record, what is seen of it, and what is to be written. Pure."""
