"""Decisions on datasets: which copies a cache keeps, and what fits into it."""
