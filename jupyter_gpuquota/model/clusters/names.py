"""Names in several clusters: what belongs to another one than the first has its name before it.

Neither projects nor nodes have a slash in their own names.
"""

from __future__ import annotations

_BETWEEN = "/"


def qualified(cluster: str, name: str) -> str:
    """Return the name of something in a cluster; an empty `cluster` is the first one."""
    return f"{cluster}{_BETWEEN}{name}" if cluster and name else name


def cluster_of(name: str) -> str:
    """Return the cluster that a name begins with, empty for the first one."""
    return name.rpartition(_BETWEEN)[0]


def place_label(name: str, cluster: str) -> str:
    """Return how a place is named in texts: a template with its cluster."""
    return name if name == cluster else f"{name} ({cluster})"


def name_in(name: str) -> str:
    """Return a name without its cluster."""
    return name.rpartition(_BETWEEN)[2]
