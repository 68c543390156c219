"""Benchmarks of the product and its peers, side by side in one run (`make bench`)."""
