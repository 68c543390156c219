"""Operations on idle sessions: what is known of one, and keeping it alive."""

from __future__ import annotations

from ..model.idleness import Activity, KeepAliveRequest
from ..model.sessions import Session
from .context import Context
from .names import find
from .steps import Operation, ask


def activity(context: Context, name: str, *, project: str = "") -> Operation[Activity]:
    """Say what is known of a running session's activity. Raises NotFound, WrongState."""
    session = yield from find(context, name, project)
    found: Activity = yield from ask("sessions.activity", session.id)
    return found


def keep_alive(
    context: Context, name: str, span: str | int = "", *, project: str = ""
) -> Operation[Session]:
    """Keep a running session alive for `30m` or `2h`, though nobody uses it.

    Without a `span` it is as long as the policy allows at a time. Raises InvalidFields, NotFound,
    WrongState, and NotAllowed beyond what the policy allows.
    """
    session = yield from find(context, name, project)
    request = KeepAliveRequest(span=span)
    kept: Session = yield from ask("sessions.keep_alive", session.id, body=request)
    return kept
