"""Runs of sessions: a script reads and tags them where the session can."""
