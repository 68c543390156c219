"""The ingress: sessions and their ports, below JupyterLab's own address."""
