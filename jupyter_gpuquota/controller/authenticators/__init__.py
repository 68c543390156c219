"""Authenticators of users' bearer tokens, one per module."""
