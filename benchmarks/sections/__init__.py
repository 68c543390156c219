"""What `make bench` measures: one module per section."""
