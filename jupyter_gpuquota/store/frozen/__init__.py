"""Frozen views: a folder as it was at one moment, while its programs go on writing."""
