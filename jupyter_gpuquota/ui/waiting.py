"""Waiting for a session with progress on the console."""

from __future__ import annotations

from ..client import Client
from ..model.sessions import Session
from .console import Console, show_progress
from .views.sessions import outcome


def wait(
    client: Client,
    session: Session,
    console: Console,
    *,
    changed: bool = False,
    ended: bool = False,
) -> Session:
    """Return the session once its state is settled, or with `ended` once it has ended.

    An interrupt ends the waiting only. Of one that was `changed`, steps from before its present
    state are not shown.
    """
    latest = session
    old = [step for step in session.progress if changed and step.at < session.since]
    try:
        for newer in show_progress(client.sessions.watch(session, ended=ended), console, old=old):
            latest = newer
    except KeyboardInterrupt:
        name = session.spec.name
        console.note(f"\n{outcome(latest)} The session continues: see `describe {name}`.")
        raise
    return latest
