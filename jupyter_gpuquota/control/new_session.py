"""New sessions."""

from __future__ import annotations

import base64
import secrets
from datetime import datetime

from ..model.sessions import Session, SessionSpec


def new_session(spec: SessionSpec, owner: str, now: datetime, session_id: str = "") -> Session:
    """Return a session that is queued, with a new id unless it has one."""
    session_id = session_id or new_id()
    return Session(
        id=session_id,
        spec=spec,
        owner=owner,
        state="waiting",
        since=now,
        created=now,
        path=f"gpuquota/s/{session_id}/",
    )


def new_id() -> str:
    """Return a new session id: a letter and 55 random bits."""
    return "s" + base64.b32encode(secrets.token_bytes(7)).decode().lower()[:11]
