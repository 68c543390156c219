"""What a snapshot comes from, and what has come from it."""

from __future__ import annotations

from msgspec.structs import replace

from jupyter_gpuquota.core.snapshots.lineage import lineage_of
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.snapshots.manifest import GitPart, Manifest
from jupyter_gpuquota.model.snapshots.restore import Restoration
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot
from tests.builders import NOW, make_spec

WHO = {"session": "s1", "name": "exp-1", "project": "team-a", "owner": "ana"}


def snapshot(key: str, parent: str = "", **fields: object) -> Snapshot:
    return Snapshot(**{**WHO, "id": key * 64, "parent": parent * 64, "created": NOW, **fields})


def test_all_around_a_snapshot_is_linked_with_it_and_nothing_else() -> None:
    itself = snapshot("b", "a", tags=("base",), note="works")
    known = (snapshot("a", note="the first"), itself, snapshot("c", "b"), snapshot("d", "c"))
    manifest = Manifest(
        **WHO,
        author="ana",
        created=NOW,
        spec=make_spec(),
        parent="a" * 64,
        data=(DataMount(dataset="faces", version="1" * 64),),
        git=(GitPart(folder=".", commit="2" * 40, dirty=True), GitPart(folder="empty")),
    )
    restore = Restoration(
        id="r1", snapshot="b" * 64, owner="ana", state="done", folder="/f", begun=NOW, updated=NOW
    )
    restores = (
        replace(restore, session="s2", name="exp-2"),
        replace(restore, session="s3", name="exp-3", snapshot="c" * 64),
        restore,  # nothing was launched
    )
    found = lineage_of(itself, manifest, known, restores)
    labels = {each.id: (each.label, each.detail) for each in found.nodes}
    here = f"snapshot:{'b' * 64}"
    assert labels.pop(here) == (f"{'b' * 12} (base)", "works")
    assert {
        (labels[other], each.relation, each.target == here)
        for each in found.links
        for other in {each.source, each.target} - {here}
    } == {
        (("exp-1", "ana, team-a"), "produced", True),
        ((f"faces@{'1' * 12}", ""), "used", True),
        (("2" * 12, "with changes"), "used", True),
        (("a" * 12, "the first"), "follows", True),
        (("c" * 12, ""), "follows", False),
        (("exp-2", ""), "produced", False),
    }
    assert len(found.links) == len(labels)


def test_a_snapshot_before_that_is_gone_is_known_by_its_id() -> None:
    itself = snapshot("b", "a")
    manifest = Manifest(**WHO, author="ana", created=NOW, spec=make_spec(), parent="a" * 64)
    labels = [each.label for each in lineage_of(itself, manifest, (), ()).nodes]
    assert labels == ["b" * 12, "exp-1", "a" * 12]
