"""Datasets: their versions, and the copies of them near the GPUs."""
