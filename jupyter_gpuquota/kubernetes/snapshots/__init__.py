"""Snapshots of claims by CSI drivers, and new claims that are restored from them."""
