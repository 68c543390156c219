"""Snapshots: taking, finding, comparing and restoring them."""
