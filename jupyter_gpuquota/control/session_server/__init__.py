"""The Jupyter Server of a session, as every backend runs it."""
