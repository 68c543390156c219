"""What a snapshot stores of a folder that somebody may be working in."""
