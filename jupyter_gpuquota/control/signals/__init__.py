"""Signals of a session's activity that are read over HTTP or reported by the ingress."""
