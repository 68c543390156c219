"""Runs of sessions in MLflow."""

from __future__ import annotations

import os

from ..environ import SESSION
from ..errors import WrongState
from ..model.snapshots.runs import Run, RunList
from .connection.context import Context
from .listing import Listing, Table

RUNS = Table[Run](
    columns={
        "id": lambda each: each.id,
        "name": lambda each: each.name,
        "status": lambda each: each.status,
        "experiment": lambda each: each.experiment,
        "begun": lambda each: each.begun,
        "ended": lambda each: each.ended,
        "params": lambda each: dict(each.params),
        "metrics": lambda each: dict(each.metrics),
        "gpu": lambda each: each.gpu,
        "source": lambda each: each.source,
        "commit": lambda each: each.commit,
        "data": lambda each: dict(each.data),
        "artifacts": lambda each: list(each.artifacts),
        "snapshot": lambda each: each.snapshot,
    },
    shown=("name", "status", "begun", "metrics", "params"),
    empty="No runs.",
)
"""`gpu` is the mean of the logged utilisation, in per cent."""


def read(context: Context, session: str, project: str) -> Listing[Run, RunList]:
    """List the runs of a session, the newest first. Raises WrongState outside of sessions."""
    name = session or os.environ.get(SESSION, "")
    if not name:
        raise WrongState("Not in a session.", hint="Name the session whose runs to list.")
    found: RunList = context.call_session("sessions.runs", name, project)
    return Listing(found, found.items, RUNS)
