"""Files of versions: listings of manifests, and bytes from copies and lakes."""
