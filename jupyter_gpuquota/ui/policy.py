"""What `policy` and `keep-alive` do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from ..client import Client
from ..errors import InvalidRequest, WrongState
from ..model.policy import Policy
from .grammar import Args
from .grammar_policy import check, names, rules
from .screen import Screen
from .views.base import View
from .views.idle import KeptView
from .views.policy import ExplainView, PolicyView


def policy(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show, set or explain what is done with idle sessions."""
    check(args)
    return _ACTIONS[args.action](client, args)


def keep_alive(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Keep a session alive."""
    kept = client.keep_alive(args.name, args.span, project=args.project)
    return KeptView(kept, datetime.now(UTC))


def _show(client: Client, args: Args) -> View[Any]:
    return _view(client, client.policy.get())


def _set(client: Client, args: Args) -> View[Any]:
    lock, unlock = names(args.lock), names(args.unlock)
    wanted = rules(args.rules)
    if not (wanted or lock or unlock):
        raise InvalidRequest(
            "There is nothing to set.",
            hint=f"For example policy set {args.subject} idle_timeout=2h.",
        )
    return _view(client, client.policy.set(args.subject, lock=lock, unlock=unlock, **wanted))


def _unset(client: Client, args: Args) -> View[Any]:
    return _view(client, client.policy.unset(args.subject, *args.rules))


def _explain(client: Client, args: Args) -> View[Any]:
    session = client.sessions.get(args.subject, project=args.project or "")
    found, activity = client.policy.explain(session.id), None
    with suppress(WrongState):  # only what runs has any
        activity = client.activity(session.id)
    return ExplainView(found, session, activity, datetime.now(UTC))


def _exempt(client: Client, args: Args) -> View[Any]:
    if args.until is None:
        raise InvalidRequest(
            "An exemption ends at some time.", hint="Add --until 3d, or --until 2026-03-01T18:00."
        )
    reason = args.reason or ""
    return _view(client, client.policy.exempt(args.subject, until=args.until, reason=reason))


def _unexempt(client: Client, args: Args) -> View[Any]:
    return _view(client, client.policy.unexempt(args.subject))


def _view(client: Client, found: Policy) -> PolicyView:
    """Show a policy; sessions that it excepts by their names."""
    known = {}
    if any(each.who.startswith("session:") for each in found.exemptions):
        known = {session.id: session.spec.name for session in client.sessions.list()}
    return PolicyView(found, known, datetime.now(UTC))


_ACTIONS: dict[str, Callable[[Client, Args], View[Any]]] = {
    "show": _show,
    "set": _set,
    "unset": _unset,
    "explain": _explain,
    "exempt": _exempt,
    "unexempt": _unexempt,
}
