"""The last measurements of each session."""

from __future__ import annotations

from collections.abc import Mapping

RECENT = 40
"""Values that are kept of a session: 20 minutes with the usual 30 s between two checks."""


def recent(
    known: Mapping[str, tuple[int, ...]], found: Mapping[str, int]
) -> dict[str, tuple[int, ...]]:
    """Return the last values of each session that is still measured, the newest last."""
    return {
        session: (*known.get(session, ()), percent)[-RECENT:] for session, percent in found.items()
    }
