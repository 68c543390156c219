"""Running again what a snapshot has recorded, and comparing the result with it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...errors import Conflict
from ...model.sessions import ENDED
from ...model.snapshots.comparison import SnapshotComparison
from ..sessions import Sessions

if TYPE_CHECKING:
    from .snapshots import Snapshots

_PAUSE = 0.3
_SAID = 500


def reproduce(
    snapshots: Snapshots, sessions: Sessions, snapshot: str, name: str, timeout: int
) -> SnapshotComparison:
    """Restore a snapshot, run it again, and compare. Raises Conflict for what fails."""
    found = snapshots.show(snapshot)
    own = bool(found.manifest and found.manifest.spec.command)
    if not found.programs and not own:
        raise Conflict(
            "The snapshot does not say what was run.",
            hint="Restore it, and run it by hand: jupyter gpu snapshot restore.",
        )
    made = snapshots.restore(found.snapshot.id, name)
    _wait(sessions, made.session, timeout, ended=not found.programs)
    for words in found.programs:
        result = sessions.exec(made.session, words, timeout=timeout)
        if result.exit_code or result.timed_out:
            why = "took too long" if result.timed_out else f"ended with {result.exit_code}"
            said = result.output.strip()[-_SAID:]
            raise Conflict(
                f"{' '.join(words)} {why}. {said}".strip(),
                hint=f"The session {made.name} is there: look into it.",
            )
    taken = snapshots.list(made.session)
    after = snapshots.follow(taken[0].id) if taken else snapshots.create(made.session)
    return snapshots.diff(found.snapshot.id, after.id)


def _wait(sessions: Sessions, session: str, timeout: int, *, ended: bool) -> None:
    """Wait until a session runs, or has ended. Raises Conflict."""
    last = time.monotonic() + timeout
    while True:
        found = sessions.get(session)
        if found.state == "failed" or (found.state in ENDED and not ended):
            why = found.reason.message if found.reason else ""
            raise Conflict(f"The session {found.spec.name} is {found.state}. {why}".strip())
        if found.state in (ENDED if ended else {"running"}):
            return
        if time.monotonic() > last:
            raise Conflict(
                f"The session {found.spec.name} is still {found.state}.",
                hint="Wait for it, then run it again there.",
            )
        time.sleep(_PAUSE)
