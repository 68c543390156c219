"""The lineage of a dataset, as far as a caller may see it."""

from __future__ import annotations

from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.datasets.lineage import lineage_of
from jupyter_gpuquota.model.datasets.lineage import DataUse, Lineage
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot
from tests.builders import NOW, make_session

V1, V2 = "1" * 64, "2" * 64
COMMIT = "c" * 40

VERSIONS = (
    Version(
        dataset="faces", id=V2, parents=(V1,), time=NOW, source=f"session:id-make commit:{COMMIT}"
    ),
    Version(dataset="faces", id=V1, time=NOW, tags=("good",), message="first"),
)


def use(session: str, project: str, version: str = V1) -> DataUse:
    return DataUse(
        dataset="faces",
        version=version,
        session=f"id-{session}",
        name=session,
        project=project,
        owner="ana",
        at=NOW,
    )


USES = (use("train", "team-a"), use("other", "team-b"), use("third", "team-b"))
SESSIONS = [make_session("make", state="done")]
SNAPSHOTS = [
    Snapshot(
        id="5" * 64,
        project="team-a",
        owner="li",
        created=NOW,
        tags=("best",),
        data=(DataMount(dataset="faces", version=V1), DataMount(dataset="other", version="3" * 64)),
    )
]


def found(*projects: str, versions: tuple[Version, ...] = VERSIONS) -> Lineage:
    rights = Rights(Caller("li"), roles=dict.fromkeys(projects, "viewer"))
    return lineage_of("faces", versions, USES, SESSIONS, SNAPSHOTS, rights)


def edges(lineage: Lineage) -> set[tuple[str, str, str]]:
    labels = {node.id: node.label for node in lineage.nodes}
    return {(labels[link.source], link.relation, labels[link.target]) for link in lineage.links}


def test_versions_follow_each_other_are_made_and_used() -> None:
    first, second = "111111111111 (good)", "222222222222"
    assert edges(found("team-a", "team-b")) == {
        (first, "follows", second),
        ("make", "produced", second),
        ("cccccccccccc", "produced", second),
        (first, "used", "train"),
        (first, "used", "other"),
        (first, "used", "third"),
        (first, "used", "555555555555 (best)"),
    }


def test_sessions_of_other_projects_are_one_node_without_names() -> None:
    lineage = found("team-a")
    assert [node.label for node in lineage.nodes if node.kind == "session"] == [
        "make",
        "train",
        "sessions of team-b",
    ]
    assert "other" not in str(lineage)
    assert "id-third" not in str(lineage)
    assert len([link for link in lineage.links if link.relation == "used"]) == 3


def test_who_made_it_is_hidden_too() -> None:
    assert ("sessions of team-a", "produced", "222222222222") in edges(found("team-b"))


def test_one_version_has_its_parent_and_its_own_uses_only() -> None:
    lineage = found("team-a", versions=VERSIONS[:1])
    assert ("111111111111", "follows", "222222222222") in edges(lineage)
    assert not [link for link in lineage.links if link.relation == "used"]


def test_a_session_of_which_nothing_is_known_was_deleted() -> None:
    version = Version(dataset="faces", id=V1, time=NOW, source="session:gone snapshot:s1 odd:x y")
    lineage = lineage_of("faces", [version], (), (), (), Rights(Caller("li"), admin=True))
    assert [(node.kind, node.label) for node in lineage.nodes[1:]] == [
        ("session", "a deleted session"),
        ("snapshot", "s1"),
    ]
