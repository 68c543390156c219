"""What is known of the cluster: one watch per kind, shared by all who read it."""
