"""What a session waits for that only processes of its owner can fetch."""

from __future__ import annotations

from contextlib import suppress

from ...errors import GpuQuotaError
from ...model.datasets.datasets import Dataset
from ...model.sessions import Session
from ..connection.context import Context
from .transfers import Transfers


def fetch_own(context: Context, session: Session) -> None:
    """Begin to fetch what a queued session misses from lakes of members, as the caller.

    The controller fetches the rest. Where a fetch cannot begin, the session's reason says what to
    do.
    """
    for mount in session.spec.data if session.state == "waiting" else ():
        with suppress(GpuQuotaError):
            dataset: Dataset = context.call("datasets.get", {"dataset": mount.dataset})
            if dataset.own_lake:
                Transfers(context).cache(f"{mount.dataset}@{mount.version}", wait=False)
