"""Content types of answers."""

JSON = "application/json"
NDJSON = "application/x-ndjson"
"""JSON documents, one a line, each as soon as it is there."""
