"""Use of GPUs: quota, nodes, history and recommended sizes."""
