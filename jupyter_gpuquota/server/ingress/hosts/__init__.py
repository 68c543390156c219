"""Hosts of sessions apart from JupyterLab's, so that their pages have origins of their own."""
