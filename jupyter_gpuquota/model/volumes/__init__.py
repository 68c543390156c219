"""Volumes: shared folders or claims, and how sessions mount them."""
