"""What `policy` and `keep-alive` do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, cast

from ..client import Client
from ..client.policy import Rules
from ..errors import InvalidRequest, WrongState
from ..model.policy import RULES, Policy
from ..model.policytrial import PolicyTrial
from .grammar import Args
from .grammar_policy import check, names, rules
from .screen import Screen
from .views.base import View
from .views.idle import KeptView
from .views.policy import ExplainView, PolicyView
from .views.policytrial import TrialView


def policy(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show, set or explain what is done with idle sessions."""
    check(args)
    return _ACTIONS[args.action](client, args)


def keep_alive(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Keep a session alive."""
    kept = client.keep_alive(args.name, args.span, project=args.project)
    return KeptView(kept, datetime.now(UTC))


def _show(client: Client, args: Args) -> View[Any]:
    return _view(client, client.policy.get(), client.about().warnings)


def _set(client: Client, args: Args) -> View[Any]:
    wanted, lock, unlock = rules(args.rules), names(args.lock), names(args.unlock)
    if not (wanted or lock or unlock):
        hint = f"For example policy {args.action} {args.subject} idle_timeout=2h."
        raise InvalidRequest(f"There is nothing to {args.action}.", hint=hint)
    if args.dry_run or args.action == "try":
        return _tried(
            client, client.policy.preview(args.subject, lock=lock, unlock=unlock, **wanted)
        )
    return _view(client, client.policy.set(args.subject, lock=lock, unlock=unlock, **wanted))


def _unset(client: Client, args: Args) -> View[Any]:
    if args.dry_run:
        gone = cast("Rules", dict.fromkeys(args.rules or RULES))
        return _tried(client, client.policy.preview(args.subject, **gone))
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


def _view(client: Client, found: Policy, warnings: Sequence[str] = ()) -> PolicyView:
    """Show a policy; sessions that it excepts by their names."""
    named = any(each.who.startswith("session:") for each in found.exemptions)
    return PolicyView(found, _names(client) if named else {}, datetime.now(UTC), warnings)


def _tried(client: Client, found: PolicyTrial) -> TrialView:
    return TrialView(found, _names(client) if found.acts else {})


def _names(client: Client) -> dict[str, str]:
    """Map the ids of the sessions that there are to their names."""
    return {session.id: session.spec.name for session in client.sessions.list()}


_ACTIONS: dict[str, Callable[[Client, Args], View[Any]]] = {
    "show": _show,
    "set": _set,
    "unset": _unset,
    "try": _set,
    "explain": _explain,
    "exempt": _exempt,
    "unexempt": _unexempt,
}
