"""Snapshots in the controller: what lakes hold, how they are made, and restoring them."""
