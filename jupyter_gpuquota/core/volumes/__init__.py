"""Volumes: who may do what, requests, and who uses them."""
