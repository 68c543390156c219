"""The extension of Jupyter Server: the gateway to the controller, the ingress, and events."""
