"""The end of a pod's log, which a session keeps when its pod goes."""

from __future__ import annotations

import logging

from ..api import Api, Fault
from ..objects.pods import Pod
from ..state.ends import LINES
from .chunks import parse
from .containers import fetch, sources

_log = logging.getLogger(__name__)
_READ = 2**20
_KEPT = 16 * 2**10
"""Maximum bytes that are read, and kept: in an annotation, with everything else."""


async def last_lines(api: Api, pod: Pod) -> tuple[str, ...]:
    """Return the last lines of a pod's log; none where there is no log, or it cannot be read."""
    for source in reversed(sources(pod)):
        try:
            log = await fetch(api, source, lines=LINES, limit=_READ)
        except Fault as fault:
            _log.warning("the log of %s cannot be read: %s", pod.metadata.name, fault)
            return ()
        text = b"".join(line.text for line in parse(log))[-_KEPT:]
        if text:
            return tuple(text.decode(errors="replace").splitlines()[-LINES:])
    return ()
