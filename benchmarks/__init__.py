"""Measure ourselves against our peers, side by side in one run (`make bench`)."""
