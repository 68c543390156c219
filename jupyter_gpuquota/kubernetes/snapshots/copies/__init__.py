"""Copies of claims: the ways in which a cluster makes them, and how they are found and removed."""
