"""Several clusters under one controller, as one backend."""
