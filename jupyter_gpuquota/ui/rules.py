"""What `rules` and `groups` take and do."""

from __future__ import annotations

from typing import Any

from ..client import Client
from ..client.rules import Settings
from ..errors import InvalidRequest
from .grammar import Args
from .screen import Screen
from .views.base import View
from .views.projects import ChangeView
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
    if args.dry_run:
        if not wanted:
            raise InvalidRequest("There is nothing to try.", hint="See `help rules`.")
        return ChangeView(client.rules.preview(**wanted))
    return RulesView(client.rules.put(**wanted) if wanted else client.rules.get())


def groups(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show, set or delete node groups."""
    if bool(args.group) == (args.action == "list"):
        wrong = "takes no name" if args.group else "needs the name of a group"
        raise InvalidRequest(f"groups {args.action} {wrong}.", hint="See `help groups`.")
    if args.action != "set" and (args.nodes or args.separate):
        raise InvalidRequest(f"groups {args.action} takes no nodes.", hint="See `help groups`.")
    if args.action == "list":
        if args.dry_run:
            raise InvalidRequest("groups list changes nothing.", hint="Leave --dry-run out.")
        return GroupsView(client.node_groups.list())
    return _try(client, args) if args.dry_run else _change(client, args)


def _try(client: Client, args: Args) -> View[Any]:
    if args.action == "delete":
        return ChangeView(client.node_groups.preview(args.group, deleted=True))
    tried = client.node_groups.preview(args.group, args.nodes, separate=args.separate)
    return ChangeView(tried)


def _change(client: Client, args: Args) -> View[Any]:
    if args.action == "delete":
        return GroupsView(client.node_groups.delete(args.group))
    return GroupsView(client.node_groups.put(args.group, args.nodes, separate=args.separate))
