"""What a caller may do with a snapshot.

======= =====================================================================
action  who may
======= =====================================================================
see     its owner: the manifest, files, comparisons, exports, lineage
restore its owner
mark    its owner: tags, pins
remove  its owner; admins, who see nothing of it but whose it is and its size
create  the owner of a session, and the session itself by its own token
======= =====================================================================

A session's own token lists what was taken of that session, without anything else. Snapshots of
others are "not found".
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from ...errors import NotAllowed, NotFound
from ...model.datasets.versions import LATEST
from ...model.sessions import Session
from ...model.snapshots.restore import Restoration
from ...model.snapshots.snapshots import SNAPSHOT_ACTIONS, Snapshot, SnapshotAction
from ..access import Rights
from ..names import with_beginning

_DIGEST = "sha256:"
"""What may precede an id: it is the digest of a manifest."""


def granted(snapshot: Snapshot, rights: Rights) -> tuple[SnapshotAction, ...]:
    """Return what a caller may do with a snapshot."""
    if rights.caller.session:
        return ("see",) if rights.caller.session == snapshot.session else ()
    if snapshot.owner == rights.caller.name:
        return SNAPSHOT_ACTIONS
    return ("remove",) if rights.admin else ()


def seen(snapshots: Iterable[Snapshot], rights: Rights) -> list[Snapshot]:
    """Return the snapshots of a list as the caller sees them, with the actions allowed."""
    shown = ((each, granted(each, rights)) for each in snapshots)
    return [_shown(each, actions) for each, actions in shown if actions]


def find(ref: str, snapshots: Iterable[Snapshot], rights: Rights) -> Snapshot:
    """Return the snapshot that a reference names, as the caller sees it.

    A reference is an id, its beginning (4 digits at least), either also after `sha256:`, the id of
    the job that took it, a tag (the newest snapshot with it), the name of a session (its newest
    one), or `latest`.

    :raises NotFound: there is none that the caller sees, or the beginning is too short.
    :raises Ambiguous: several ids begin so.
    """
    visible = sorted(seen(snapshots, rights), key=lambda each: each.created, reverse=True)
    own = [each for each in visible if "see" in each.actions]
    for match in (
        [each for each in visible if ref in {each.id, each.job}],
        own if ref == LATEST else [each for each in own if ref in each.tags],
        [each for each in own if ref == each.name],
    ):
        if match:
            return match[0]
    digits = ref.removeprefix(_DIGEST)
    if begun := with_beginning(digits, (each.id for each in visible), "snapshot"):
        return next(each for each in visible if each.id == begun)
    raise NotFound(f"Snapshot {ref!r} not found.", hint="List yours: jupyter gpu snapshot list.")


def check(action: SnapshotAction, snapshot: Snapshot, what: str) -> None:
    """Raise NotAllowed unless the caller for whom a snapshot was found may; `what` is a verb."""
    if action not in snapshot.actions:
        raise NotAllowed(
            f"You may not {what} the snapshot {snapshot.short}.", hint="Only its owner may."
        )


def may_create(session: Session, rights: Rights) -> bool:
    """Return whether the caller may take snapshots of a session: owns it, or is that session."""
    return rights.owns(session) or rights.caller.session == session.id


def has_run(session: Session) -> bool:
    """Return whether a session has run: a quick one may end before it is seen to start."""
    return session.started is not None or session.exit is not None


def check_create(session: Session, rights: Rights) -> None:
    """Raise NotAllowed unless the caller owns a session, or is that session."""
    if not may_create(session, rights):
        raise NotAllowed(
            f"You may not take a snapshot of {session.spec.name}.",
            hint=f"Only its owner {session.owner} may.",
        )


def own_restores(restores: Iterable[Restoration], rights: Rights) -> list[Restoration]:
    """Return the restores of the caller."""
    rights.check_person()
    return [each for each in restores if each.owner == rights.caller.name]


def _shown(snapshot: Snapshot, actions: tuple[SnapshotAction, ...]) -> Snapshot:
    if "see" in actions:
        return replace(snapshot, actions=actions)
    return Snapshot(
        id=snapshot.id,
        project=snapshot.project,
        owner=snapshot.owner,
        created=snapshot.created,
        state=snapshot.state,
        files=snapshot.files,
        size=snapshot.size,
        added=snapshot.added,
        actions=actions,
    )
