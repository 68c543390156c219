"""The lineage of a snapshot: its session, its data, the snapshots around it, and its restores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...model.datasets.lineage import Lineage, Link, Origin, Relation
from ...model.datasets.versions import SHOWN
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import Restoration
from ...model.snapshots.snapshots import Snapshot


def lineage_of(
    snapshot: Snapshot,
    manifest: Manifest,
    snapshots: Iterable[Snapshot],
    restores: Iterable[Restoration],
) -> Lineage:
    """Return what a snapshot comes from, and what has come from it.

    `snapshots` and `restores` are those that the caller may see.
    """
    known = {each.id: each for each in snapshots} | {snapshot.id: snapshot}
    itself = f"snapshot:{snapshot.id}"
    nodes = {itself: node(snapshot)}
    links: dict[Link, None] = {}
    for relation, source in _sources(snapshot, manifest, known):
        nodes.setdefault(source.id, source)
        links[Link(source=source.id, target=itself, relation=relation)] = None
    for each in known.values():
        if each.parent == snapshot.id:
            nodes.setdefault(f"snapshot:{each.id}", node(each))
            links[Link(source=itself, target=f"snapshot:{each.id}", relation="follows")] = None
    for restore in restores:
        if restore.snapshot == snapshot.id and restore.session:
            made = Origin(id=f"session:{restore.session}", kind="session", label=restore.name)
            nodes.setdefault(made.id, made)
            links[Link(source=itself, target=made.id, relation="produced")] = None
    return Lineage(dataset="", nodes=tuple(nodes.values()), links=tuple(links))


def node(snapshot: Snapshot) -> Origin:
    """Return the node of a snapshot."""
    tags = f" ({', '.join(snapshot.tags)})" if snapshot.tags else ""
    return Origin(
        id=f"snapshot:{snapshot.id}",
        kind="snapshot",
        label=f"{snapshot.short}{tags}",
        detail=snapshot.note,
        time=snapshot.created,
    )


def _sources(
    snapshot: Snapshot, manifest: Manifest, known: dict[str, Snapshot]
) -> Iterator[tuple[Relation, Origin]]:
    yield (
        "produced",
        Origin(
            id=f"session:{snapshot.session}",
            kind="session",
            label=snapshot.name,
            detail=f"{snapshot.owner}, {snapshot.project}",
        ),
    )
    for mount in manifest.data:
        label = f"{mount.dataset}@{mount.version[:SHOWN]}"
        yield "used", Origin(id=f"version:{mount.version}", kind="version", label=label)
    for git in manifest.git:
        if git.commit:
            dirty = "with changes" if git.dirty else ""
            label = git.commit[:SHOWN]
            yield (
                "used",
                Origin(id=f"commit:{git.commit}", kind="commit", label=label, detail=dirty),
            )
    if manifest.parent:
        parent = known.get(manifest.parent)
        past = Origin(
            id=f"snapshot:{manifest.parent}", kind="snapshot", label=manifest.parent[:SHOWN]
        )
        yield "follows", node(parent) if parent else past
