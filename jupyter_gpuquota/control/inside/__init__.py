"""What runs inside of sessions that need not have this product: carried there as text."""
