"""The lease that lets one controller of a team act at a time."""
