"""Long lists: pages of them, and what has changed in them."""
