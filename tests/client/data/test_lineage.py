"""The lineage of versions, their folders inside a session, and inputs of MLflow runs."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import NotFound, Unsupported
from jupyter_gpuquota.model.datasets.lineage import Lineage, Link, Origin
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.datasets.versions import VersionCopy
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.builders import make_session
from tests.client.answering import Answering
from tests.client.data.samples import FIRST, NOW, SECOND, make_version
from tests.ui.conftest import Notes

LINEAGE = Lineage(
    dataset="digits",
    nodes=(
        Origin(id="version:1", kind="version", label="3f3f (v1)", detail="first", time=NOW),
        Origin(id="version:2", kind="version", label="a7a7"),
        Origin(id="commit:c", kind="commit", label="c0ffee"),
        Origin(id="session:s", kind="session", label="train1", detail="ana, team-a"),
        Origin(id="project:team-b", kind="session", label="sessions of team-b"),
    ),
    links=(
        Link(source="commit:c", target="version:1", relation="produced"),
        Link(source="version:1", target="version:2", relation="follows"),
        Link(source="version:1", target="session:s", relation="used"),
        Link(source="version:1", target="project:team-b", relation="used"),
    ),
)


@pytest.fixture
def server() -> Answering:
    return Answering()


@pytest.fixture
def client(server: Answering) -> Client:
    return Client(transport=server)


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder with the datasets of the session that this process belongs to."""
    folder = tmp_path / "data"
    (folder / "digits/train").mkdir(parents=True)
    monkeypatch.setenv("GPUQUOTA_DATASETS", str(folder))
    monkeypatch.setenv("GPUQUOTA_SESSION", "s1")
    return folder


def test_lineage_is_asked_for_one_version_or_all(server: Answering, client: Client) -> None:
    server.answers["lineage.get"] = LINEAGE
    assert client.datasets.lineage("digits@v1") == LINEAGE
    assert server.asked[-1].query == {"version": "v1"}


def test_lineage_is_shown_around_each_version(server: Answering, client: Client) -> None:
    server.answers["lineage.get"] = LINEAGE
    view = run(client, parse(split_line("data lineage digits"), terminal=False), Notes())
    assert view.text.splitlines() == [
        "3f3f (v1): first",
        "  made by commit c0ffee",
        "  used by session train1 (ana, team-a)",
        "  used by sessions of team-b",
        "a7a7",
        "  follows 3f3f (v1): first",
    ]
    assert "<li>used by sessions of team-b</li>" in str(view.body)
    assert len(view.records) == len(LINEAGE.links)


def test_a_snapshot_says_what_it_comes_from_and_what_has_come_from_it(
    server: Answering, client: Client
) -> None:
    first = Origin(id="snapshot:1", kind="snapshot", label="e9b2 (base)", detail="works")
    server.answers["snapshots.lineage"] = Lineage(
        dataset="",
        nodes=(
            first,
            Origin(id="session:s", kind="session", label="exp1", detail="ana, team-a"),
            Origin(id="commit:c", kind="commit", label="c0ffee", detail="with changes"),
            Origin(id="snapshot:2", kind="snapshot", label="7c0d", detail="faster"),
            Origin(id="session:t", kind="session", label="exp2"),
        ),
        links=(
            Link(source="session:s", target=first.id, relation="produced"),
            Link(source="commit:c", target=first.id, relation="used"),
            Link(source=first.id, target="snapshot:2", relation="follows"),
            Link(source=first.id, target="session:t", relation="produced"),
        ),
    )
    view = run(client, parse(split_line("snapshot lineage base"), terminal=False), Notes())
    assert server.asked[-1].args == {"snapshot": "base"}
    assert view.text.splitlines() == [
        "snapshot e9b2 (base): works",
        "  taken of session exp1 (ana, team-a)",
        "  uses commit c0ffee (with changes)",
        "  followed by snapshot 7c0d: faster",
        "  restored as session exp2",
    ]


def test_a_session_finds_the_version_that_it_was_launched_with(
    client: Client, inside: Path
) -> None:
    assert client.datasets.path("digits") == inside / "digits"
    assert client.datasets.path("digits:train") == inside / "digits/train"
    with pytest.raises(NotFound, match="no such path"):
        client.datasets.path("digits:test")


def test_a_named_version_is_the_sessions_own_only_if_it_is_that_one(
    server: Answering, client: Client, inside: Path
) -> None:
    server.answers["versions.get"] = make_version(copy=VersionCopy(state="cached"))
    for version, known in ((FIRST, True), (SECOND, False)):
        data = (DataMount(dataset="digits", version=version),)
        server.answers["sessions.get"] = make_session(data=data)
        if known:
            assert client.datasets.path("digits@v1") == inside / "digits"
        else:
            with pytest.raises(NotFound, match="not cached here"):
                client.datasets.path("digits@v1")


def test_without_mlflow_it_says_what_to_install(
    server: Answering, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    monkeypatch.delitem(sys.modules, "jupyter_gpuquota.client.data.mlflow_input", raising=False)
    server.answers["versions.get"] = make_version()
    with pytest.raises(Unsupported, match="MLflow") as caught:
        client.datasets.log_input("digits@v1")
    assert "pip install mlflow-skinny" in caught.value.hint


def test_a_version_is_an_input_of_an_mlflow_run(
    server: Answering, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # newer versions want a database
    mlflow = importlib.import_module("mlflow")
    # Its own setter would leave the variable to all later tests and their processes.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    server.answers["versions.get"] = make_version()
    with mlflow.start_run() as begun:
        assert client.datasets.log_input("digits@v1", context="training").id == FIRST
    (logged,) = mlflow.get_run(begun.info.run_id).inputs.dataset_inputs
    assert (logged.dataset.name, logged.dataset.digest) == ("digits", FIRST[:36])
    assert FIRST in logged.dataset.source
    assert logged.dataset.source_type == "gpuquota"
    assert {tag.key: tag.value for tag in logged.tags} == {
        "gpuquota.version": FIRST,
        "mlflow.data.context": "training",
    }
