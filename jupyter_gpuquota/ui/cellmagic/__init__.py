"""`%%gpu`: one cell in a session."""
