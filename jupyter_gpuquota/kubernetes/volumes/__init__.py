"""Shared volumes: claims in the namespaces of projects, and who mounts them."""
