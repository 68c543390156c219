"""Find, observe and end processes of this machine, and find their listening sockets."""
