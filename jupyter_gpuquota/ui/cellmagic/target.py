"""The session in which a cell runs: found, resumed or launched."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ...client import Client
from ...client.sessions import Wishes
from ...errors import (
    FieldError,
    GpuQuotaError,
    InvalidFields,
    NotFound,
    Unsupported,
    WrongState,
    refused,
)
from ...kernels.cells.notebook import Notebook
from ...model.sessions import ENDED, Session
from ..console import Console
from ..views.sessions import outcome
from ..waiting import wait
from .arguments import CellLine

IDLE = "15m"
"""After this time without use a scratch session stops, where the policy allows it."""
_STOPS: Wishes = {"stop_when_idle": True}

_LAST: dict[str, str] = {}
"""The session of the last cell of a notebook, by the notebook's key."""


def running(client: Client, line: CellLine, notebook: Notebook, console: Console) -> Session:
    """Return the running session of a cell; it is resumed or launched if need be.

    An interrupt ends the waiting. Raises NotFound, InvalidFields, Unsupported, and WrongState for
    one that has ended, or fails to start.
    """
    session = _last(client, notebook) if line.continues else _found(client, line, notebook)
    _LAST[notebook.key] = session.id
    if not session.spec.serves_jupyter:
        raise Unsupported(
            f"{session.spec.name} runs a command, so it has no kernels.",
            hint="Use a session that was launched with --interactive.",
        )
    if session.state == "stopping":
        session = wait(client, session, console, changed=True)
    scratch = session.spec.name.startswith(notebook.scratches)
    if session.state == "suspended" or (session.state in ENDED and scratch):
        session = client.sessions.resume(session.id)
    if session.state in {"waiting", "starting"}:
        session = wait(client, session, console, changed=True)
    if session.state != "running":
        raise not_running(session)
    return session


def not_running(session: Session) -> GpuQuotaError:
    """Return why a cell cannot run, or go on, in a session."""
    name = session.spec.name
    hint = f"Run the cell again: it waits for {name}, or resumes it."
    if session.state in ENDED:
        hint = f"Resume it with `%gpu resume {name}`, then run the cell again."
    return WrongState(outcome(session), hint=hint)


def _last(client: Client, notebook: Notebook) -> Session:
    """Return the session of the notebook's last cell, else its newest scratch session.

    Raises InvalidFields if there is none.
    """
    with suppress(KeyError, NotFound):
        return client.sessions.get(_LAST[notebook.key])
    user = client.about().user
    found = [
        each
        for each in client.sessions.list()
        if each.owner == user and each.spec.name.startswith(notebook.scratches)
    ]
    if found:
        return max(found, key=lambda each: each.since)
    raise refused(
        FieldError(
            "gpu",
            "No cell of this notebook has run in a session yet.",
            "Write %%gpu -g 0.25 for a scratch session with that share, or %%gpu NAME.",
        )
    )


def _found(client: Client, line: CellLine, notebook: Notebook) -> Session:
    name = line.name or notebook.scratch(line.request)
    # One with several places may be in another project now.
    project = "" if line.request.get("on") else line.project
    try:
        return client.sessions.get(name, project=project)
    except NotFound:
        if not line.launches:
            raise
    request: dict[str, Any] = {**line.request, "project": line.project}
    if not line.name and not line.keep:
        with suppress(InvalidFields):  # the policy allows no such time: its own holds
            return client.sessions.submit(name, **{**request, "idle_timeout": IDLE, **_STOPS})
    if not line.name and not line.keep:
        request |= _STOPS
    return client.sessions.submit(name, **request)
