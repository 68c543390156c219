"""The server side: the extension in JupyterLab, and the controller of the local backend."""
