"""Nodes with the groups that administrators assign to them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..model.projects import Groups
from ..model.resources import Node


def labelled(nodes: Sequence[Node], groups: Groups) -> tuple[Node, ...]:
    """Return the nodes that a backend finds, with the labels of their groups."""
    made = []
    for node in nodes:
        own = [group for group in groups.items if node.name in group.nodes]
        labels = dict.fromkeys([*node.labels, *(group.name for group in own)])
        separate = node.separate or any(group.separate for group in own)
        made.append(msgspec.structs.replace(node, labels=tuple(labels), separate=separate))
    return tuple(made)
