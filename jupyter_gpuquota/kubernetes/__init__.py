"""Sessions as pods of a Kubernetes cluster, whose own engine decides about GPUs."""
