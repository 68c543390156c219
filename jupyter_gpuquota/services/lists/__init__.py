"""Long lists, as a caller sees them."""
