"""What `rules` and `groups` take and do."""

from __future__ import annotations

from typing import Any

from ..client import Client
from ..client.rules import Settings
from ..errors import InvalidRequest
from .grammar import Args
from .screen import Screen
from .views.base import View
from .views.rules import GroupsView, RulesView


def rules(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show or change what holds for all projects."""
    wanted = Settings()
    if args.grace is not None:
        wanted["grace"] = args.grace
    if args.min_runtime is not None:
        wanted["min_runtime"] = args.min_runtime
    if args.consolidate is not None:
        wanted["consolidate"] = args.consolidate == "yes"
    return RulesView(client.rules.put(**wanted) if wanted else client.rules.get())


def groups(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show, set or delete node groups."""
    if bool(args.group) == (args.action == "list"):
        wrong = "takes no name" if args.group else "needs the name of a group"
        raise InvalidRequest(f"groups {args.action} {wrong}.", hint="See `help groups`.")
    if args.action != "set" and (args.nodes or args.separate):
        raise InvalidRequest(f"groups {args.action} takes no nodes.", hint="See `help groups`.")
    if args.action == "set":
        made = client.node_groups.put(args.group, args.nodes, separate=args.separate)
        return GroupsView(made)
    if args.action == "delete":
        return GroupsView(client.node_groups.delete(args.group))
    return GroupsView(client.node_groups.list())
