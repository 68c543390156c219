"""What is done with the sessions: each signal of it, read from where it shows."""
