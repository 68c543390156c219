"""Reading copies of volumes in a pod: their files with hashes, to verify and to compare them."""
