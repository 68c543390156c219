"""Sessions that exist in memory only: for demonstrations, documentation and tests."""
