"""Datasets: their versions, files, cached copies and the jobs that work on them."""
