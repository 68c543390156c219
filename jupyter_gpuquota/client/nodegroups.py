"""Operations on node groups."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import NotFound
from ..model.projects import Groups, GroupsRequest, NodeGroup
from .context import Context
from .steps import Operation, ask


def list_(context: Context) -> Operation[Groups]:
    """Show the node groups."""
    found: Groups = yield from ask("groups.get")
    return found


def put(
    context: Context, name: str, nodes: Sequence[str], *, separate: bool = False
) -> Operation[Groups]:
    """Make a node group, or change one; `separate` is as in `NodeGroup`.

    Raises InvalidFields, NotAllowed, and Outdated if somebody else was quicker.
    """
    old = yield from list_(context)
    others = tuple(group for group in old.items if group.name != name)
    made = NodeGroup(name=name, nodes=tuple(nodes), separate=separate)
    return (yield from _put((*others, made), old.revision))


def delete(context: Context, name: str) -> Operation[Groups]:
    """Delete a node group. Raises NotFound, NotAllowed, Outdated, InvalidFields if it is in use."""
    old = yield from list_(context)
    others = tuple(group for group in old.items if group.name != name)
    if len(others) == len(old.items):
        hint = f"There are: {', '.join(group.name for group in others) or 'none'}."
        raise NotFound(f"There is no node group {name!r}.", hint=hint)
    return (yield from _put(others, old.revision))


def _put(groups: tuple[NodeGroup, ...], revision: int) -> Operation[Groups]:
    request = GroupsRequest(groups=groups, revision=revision)
    found: Groups = yield from ask("groups.put", body=request)
    return found
