"""The rights of callers, as the cluster grants them."""
