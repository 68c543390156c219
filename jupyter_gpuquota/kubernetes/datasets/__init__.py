"""Cached datasets on claims: Jobs that fetch, verify and remove them, and what these report."""
