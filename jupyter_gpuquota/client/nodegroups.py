"""Operations on node groups: see, set, delete, and try out."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import NotFound
from ..model.projects import (
    ChangePreview,
    Groups,
    GroupsRequest,
    NodeGroupRequest,
    SettingsChange,
    group_request_of,
)
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
    return (yield from _put(_with(old, name, nodes, separate=separate), old.revision))


def delete(context: Context, name: str) -> Operation[Groups]:
    """Delete a node group. Raises NotFound, NotAllowed, Outdated, InvalidFields if it is in use."""
    old = yield from list_(context)
    return (yield from _put(_without(old, name), old.revision))


def preview(
    context: Context,
    name: str,
    nodes: Sequence[str] = (),
    *,
    separate: bool = False,
    deleted: bool = False,
) -> Operation[ChangePreview]:
    """Say what the same `put` would do now, or with `deleted` the deletion; nothing changes."""
    old = yield from list_(context)
    if deleted:
        change = SettingsChange(groups=_without(old, name))
    else:
        change = SettingsChange(groups=_with(old, name, nodes, separate=separate))
    answer: ChangePreview = yield from ask("settings.preview", body=change)
    return answer


def _with(
    old: Groups, name: str, nodes: Sequence[str], *, separate: bool
) -> tuple[NodeGroupRequest, ...]:
    return (*_others(old, name), NodeGroupRequest(name=name, nodes=tuple(nodes), separate=separate))


def _without(old: Groups, name: str) -> tuple[NodeGroupRequest, ...]:
    others = _others(old, name)
    if len(others) == len(old.items):
        hint = f"There are: {', '.join(group.name for group in others) or 'none'}."
        raise NotFound(f"There is no node group {name!r}.", hint=hint)
    return others


def _others(old: Groups, name: str) -> tuple[NodeGroupRequest, ...]:
    return tuple(group_request_of(group) for group in old.items if group.name != name)


def _put(groups: tuple[NodeGroupRequest, ...], revision: str) -> Operation[Groups]:
    request = GroupsRequest(groups=groups, revision=revision)
    found: Groups = yield from ask("groups.put", body=request)
    return found
