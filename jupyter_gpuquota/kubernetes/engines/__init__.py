"""The engines that decide about GPUs on a cluster, one per module."""
