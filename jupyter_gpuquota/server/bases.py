"""Base URLs of JupyterLabs that are sessions themselves; pure."""

from __future__ import annotations

import re

_NESTED = re.compile(r"(?P<outer>.*/)gpuquota/s/[^/]+/")


def outer_base(base_url: str) -> str:
    """Return the base URL of the JupyterLab whose ingress shows a server, or the server's own.

    Sessions that are launched inside a session stand beside it, not below it: they are not lost
    to the browser when it ends.
    """
    found = _NESTED.fullmatch(base_url)
    return outer_base(found["outer"]) if found else base_url
