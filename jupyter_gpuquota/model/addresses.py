"""Where sessions are shown: below the base URL of the JupyterLab whose ingress leads to them.

A JupyterLab that is a session itself shows no other: they stand beside it, not below it, and are
not lost to the browser when it ends. So every address begins with the outer base URL.
"""

from __future__ import annotations

import re

from .sessions import Session

_OF_SESSION = re.compile(r"(?P<outer>.*/)gpuquota/s/[^/]+/.*")


def outer_base(base: str) -> str:
    """Return the base URL of the JupyterLab whose ingress shows a server, or the server's own.

    `base` is a base URL, with or without scheme and host.
    """
    found = _OF_SESSION.fullmatch(base)
    return outer_base(found["outer"]) if found else base


def lab_path(base: str, session_id: str, port: int = 0) -> str:
    """Return the path of a session, or of its port, below the base URL of a JupyterLab."""
    return f"{base}gpuquota/s/{session_id}" + (f"/p/{port}" if port else "")


def address_of(session: Session, place: str = "") -> str:
    """Return where a session is shown, without the host; `place` is what follows its path."""
    return f"{session.spec.base_url.rstrip('/')}/{session.path}{place}"
