"""The ingress: a reverse proxy to sessions and their ports below JupyterLab's address."""
