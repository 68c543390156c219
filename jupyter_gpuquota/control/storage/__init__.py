"""Files on disk: databases, journals, records, and what cannot be read."""
