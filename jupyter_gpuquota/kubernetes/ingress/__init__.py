"""How the ingress reaches sessions: their Services, or port-forwards through the API server."""
