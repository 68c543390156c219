"""The REST interface as data: one row a route."""
