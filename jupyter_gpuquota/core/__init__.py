"""Decisions: plain functions on plain data; time is passed in, nothing is awaited."""
