"""The processes that use lakes and caches: which of them still run, and how they end."""
