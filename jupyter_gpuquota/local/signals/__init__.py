"""Read the activity signals of sessions on this machine."""
