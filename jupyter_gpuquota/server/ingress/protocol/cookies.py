"""Which cookies cross the ingress at a session's own origin.

On JupyterLab's origin none do. At a session's host, programs may use cookies of that host; they
never see the ingress's own cookie, and cannot set one in its place or for a wider domain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SAFE_PREFIX = "__Host-"
"""The prefix of names that browsers accept from the exact host only, over HTTPS."""

NAME = "gpuquota"

_OURS = re.compile(rf"({re.escape(SAFE_PREFIX)})?{NAME}(-[0-9]+)?", re.IGNORECASE)


def of_programs(sent: Sequence[str]) -> str:
    """Return the cookies of a request without the ingress's, as one header."""
    cookies = [part.strip() for line in sent for part in line.split(";")]
    return "; ".join(part for part in cookies if part and not _is_ours(part))


def may_be_set(line: str) -> bool:
    """Return whether a program may set a cookie: for its own host and not with our name."""
    cookie, *attributes = line.split(";")
    names = {attribute.partition("=")[0].strip().lower() for attribute in attributes}
    return "domain" not in names and not _is_ours(cookie)


def _is_ours(cookie: str) -> bool:
    """Return whether a cookie has our name, or is nameless and would be sent as if it had."""
    return any(_OURS.fullmatch(part.strip()) for part in cookie.split("=")[:2])
