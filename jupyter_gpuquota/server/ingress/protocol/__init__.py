"""Pure rules for HTTP and WebSocket messages that cross the ingress."""
