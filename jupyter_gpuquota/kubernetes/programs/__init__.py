"""Programs and terminals inside the pods of sessions."""
