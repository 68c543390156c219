"""Content types of answers."""

JSON = "application/json"
NDJSON = "application/x-ndjson"
"""JSON documents, one per line, each sent as soon as it is ready."""
