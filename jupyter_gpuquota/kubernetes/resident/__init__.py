"""The part of the backend that a controller runs: connection, facts, settings, time."""
