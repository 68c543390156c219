"""Immutable data: the domain's types and the wire format at once."""
