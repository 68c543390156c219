"""Manifests of a session's objects: pure functions of the session and of what providers add."""
