"""The logs of sessions' containers, by cursor."""
