"""Datasets, versions, files, cached copies and jobs as text and HTML."""
