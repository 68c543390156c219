"""Kernel output without a connected page: connections outlive pages, and output is held."""
