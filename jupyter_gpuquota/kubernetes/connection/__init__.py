"""The connection to an API server, apart from HTTP itself, which is `client.py`."""
