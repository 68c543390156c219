"""What the outside must provide."""
