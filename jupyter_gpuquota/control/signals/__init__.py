"""Activity signals that are read over HTTP or reported by the ingress."""
