"""The lineage of a dataset, as far as a caller may see it.

The `source` of a version has words such as `session:ID`, `snapshot:ID` and `commit:HASH`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...model.datasets.lineage import DataUse, Lineage, Link, Origin, OriginKind
from ...model.datasets.versions import SHOWN, Version
from ...model.sessions import Session
from ...model.snapshots.snapshots import Snapshot
from ..access import Rights
from ..snapshots.lineage import node

_KINDS: Mapping[str, OriginKind] = {
    "session": "session",
    "snapshot": "snapshot",
    "commit": "commit",
}


def lineage_of(
    dataset: str,
    versions: Sequence[Version],
    uses: Iterable[DataUse],
    sessions: Iterable[Session],
    snapshots: Iterable[Snapshot],
    rights: Rights,
) -> Lineage:
    """Return what has made these versions, what follows them, and what has used them.

    Sessions that the caller may not see are one node for each project; `snapshots` are those that
    the caller may see.
    """
    wanted = {version.id for version in versions}
    used = [use for use in uses if use.version in wanted]
    known = _known(used, sessions)
    nodes: dict[str, Origin] = {}
    links: dict[Link, None] = {}
    for version in reversed(versions):
        itself = _version(version)
        nodes[itself.id] = itself
        for origin in _origins(version, known, rights):
            nodes.setdefault(origin.id, origin)
            links[Link(source=origin.id, target=itself.id, relation="produced")] = None
        for parent in version.parents:
            nodes.setdefault(f"version:{parent}", _past(parent))
            links[Link(source=f"version:{parent}", target=itself.id, relation="follows")] = None
    for use in used:
        user = _session(use, rights)
        nodes.setdefault(user.id, user)
        links[Link(source=f"version:{use.version}", target=user.id, relation="used")] = None
    for snapshot in snapshots:
        for version_id in {mount.version for mount in snapshot.data} & wanted:
            kept = node(snapshot)
            nodes[kept.id] = kept
            links[Link(source=f"version:{version_id}", target=kept.id, relation="used")] = None
    return Lineage(dataset=dataset, nodes=tuple(nodes.values()), links=tuple(links))


def _known(uses: Iterable[DataUse], sessions: Iterable[Session]) -> dict[str, DataUse]:
    """Return what is known of sessions by id, of those that were deleted, too."""
    present = (
        DataUse(
            dataset="",
            version="",
            session=session.id,
            name=session.spec.name,
            project=session.spec.project,
            owner=session.owner,
            at=session.created,
        )
        for session in sessions
    )
    return {each.session: each for each in (*uses, *present)}


def _origins(version: Version, known: Mapping[str, DataUse], rights: Rights) -> Iterator[Origin]:
    for word in version.source.split():
        kind, _, name = word.partition(":")
        if kind not in _KINDS or not name:
            continue
        if kind == "session":
            if name in known:
                yield _session(known[name], rights)
            else:
                yield Origin(id="session:", kind="session", label="a deleted session")
            continue
        label = name[:SHOWN] if kind == "commit" else name
        yield Origin(id=word, kind=_KINDS[kind], label=label, detail=name)


def _version(version: Version) -> Origin:
    tags = f" ({', '.join(version.tags)})" if version.tags else ""
    return Origin(
        id=f"version:{version.id}",
        kind="version",
        label=f"{version.id[:SHOWN]}{tags}",
        detail=version.message,
        time=version.time,
    )


def _past(version: str) -> Origin:
    """Return a version that is not asked about, or was removed."""
    return Origin(id=f"version:{version}", kind="version", label=version[:SHOWN])


def _session(use: DataUse, rights: Rights) -> Origin:
    if not rights.names(use.project):
        text = f"sessions of {use.project}"
        return Origin(id=f"project:{use.project}", kind="session", label=text)
    return Origin(
        id=f"session:{use.session}",
        kind="session",
        label=use.name,
        detail=f"{use.owner}, {use.project}",
        time=use.at,
    )
