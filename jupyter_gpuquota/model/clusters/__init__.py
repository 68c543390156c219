"""Several clusters: names, and lists of them."""
