"""Node groups."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import NotFound
from ..model.projects import (
    Groups,
    GroupsRequest,
    NodeGroup,
    NodeGroupRequest,
    group_request_of,
)
from .listing import Listing, Table
from .namespace import Namespace

NODE_GROUPS = Table[NodeGroup](
    columns={
        "group": lambda group: group.name,
        "nodes": lambda group: list(group.nodes),
        "separate": lambda group: group.separate,
    },
    shown=("group", "nodes", "separate"),
    empty="No node groups.",
)

NodeGroupList = Listing[NodeGroup, Groups]


class NodeGroups(Namespace):
    """Node groups; admins set and delete them."""

    def list(self) -> NodeGroupList:
        """List the node groups."""
        return _listing(self._get())

    def put(self, name: str, nodes: Sequence[str], *, separate: bool = False) -> NodeGroupList:
        """Create or change a node group; `separate` is as in `NodeGroup`.

        Raises InvalidFields, NotAllowed, and Outdated if another admin changed them meanwhile.
        """
        old = self._get()
        return self._put(_with(old, name, nodes, separate=separate), old.revision)

    def delete(self, name: str) -> NodeGroupList:
        """Delete a node group.

        Raises NotFound, NotAllowed, Outdated, and InvalidFields if it is in use.
        """
        old = self._get()
        return self._put(_without(old, name), old.revision)

    def _get(self) -> Groups:
        answer: Groups = self._context.call("groups.get")
        return answer

    def _put(self, groups: tuple[NodeGroupRequest, ...], revision: str) -> NodeGroupList:
        request = GroupsRequest(groups=groups, revision=revision)
        return _listing(self._context.call("groups.put", body=request))


def _listing(answer: Groups) -> NodeGroupList:
    return Listing(answer, answer.items, NODE_GROUPS)


def _with(
    old: Groups, name: str, nodes: Sequence[str], *, separate: bool
) -> tuple[NodeGroupRequest, ...]:
    return (*_others(old, name), NodeGroupRequest(name=name, nodes=tuple(nodes), separate=separate))


def _without(old: Groups, name: str) -> tuple[NodeGroupRequest, ...]:
    others = _others(old, name)
    if len(others) == len(old.items):
        hint = f"Node groups: {', '.join(group.name for group in others) or 'none'}."
        raise NotFound(f"Node group {name!r} not found.", hint=hint)
    return others


def _others(old: Groups, name: str) -> tuple[NodeGroupRequest, ...]:
    return tuple(group_request_of(group) for group in old.items if group.name != name)
