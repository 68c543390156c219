"""How a cluster gives parts of GPUs to pods: one pure module per way."""
