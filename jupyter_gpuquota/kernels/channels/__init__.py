"""The channels to a kernel that runs in a session: one port, and an adapter for each way there."""
