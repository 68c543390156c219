"""A third backend, in one folder: what the recipe asks for, and nothing else."""
