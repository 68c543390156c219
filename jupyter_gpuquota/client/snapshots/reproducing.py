"""Running again what a snapshot has recorded, and comparing the result with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import Conflict
from ...model.snapshots.comparison import SnapshotComparison
from ..sessions import Sessions

if TYPE_CHECKING:
    from .snapshots import Snapshots

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
    sessions.wait(made.session, ended=not found.programs, timeout=timeout)
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
