"""Datasets of sessions: resolved with the caller's rights, kept, and told to who may know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jupyter_gpuquota.control.datasets.gate import DataGate
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.rightsizing import ResizeRequest
from jupyter_gpuquota.model.sessions import ResumeRequest, Session, SessionQuery, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.data_fakes import (
    V1,
    V2,
    FakeCaches,
    FakeDatasets,
    FakeJobs,
    make_dataset,
    make_version,
)
from tests.fakes import ask, make_backend

pytestmark = pytest.mark.asyncio

TEAMS = (
    {"name": "team-a", "quota": "4", "members": ["ana", "me"], "viewers": ["vic"]},
    {"name": "team-b", "quota": "2", "members": ["ben", "me"]},
)
V3 = "3" * 64


class Lab:
    """A backend with `faces` of team-a and `secret` of team-b, whose fetches a test ends."""

    def __init__(self) -> None:
        backend = make_backend(TEAMS, admins=("root",))
        self.board = backend.resident.board
        self.jobs = FakeJobs()
        self.datasets = FakeDatasets(
            make_version(V2),
            make_version(V1, tags=("good",)),
            make_version(V3, "secret"),
            datasets=(make_dataset(), make_dataset("secret", "team-b", owner="ben")),
        )
        self.caches = FakeCaches(self.jobs, dict)
        self.gate = DataGate(
            lambda: self.board.sessions,
            self.board.data,
            self.datasets,
            self.caches,
            self.jobs,
            lambda: None,
        )
        ports: Any = {"datasets": self.datasets, "caches": self.caches, "jobs": self.jobs}
        self.backend: Backend = replace(backend, **ports)

    async def launch(self, *data: str, who: str = "ana", **fields: Any) -> Session:
        """Launch a session."""
        name = fields.pop("name", "exp-1")
        request = SessionRequest(name=name, project="team-a", data=data, **fields)
        found: Session = await ask(self.backend, "sessions.create", who, body=request)
        return found

    async def look(self) -> None:
        """Let the gate look, and then the scheduler."""
        await self.gate.look()
        self.backend.resident.worker.step()


@pytest.fixture
def lab() -> Lab:
    return Lab()


async def test_references_become_ids_and_the_session_waits_without_gpus(lab: Lab) -> None:
    session = await lab.launch("faces@good:/in", "faces", gpu="1")
    assert session.spec.data == (
        DataMount(dataset="faces", version=V1, ref="good", path="/in"),
        DataMount(dataset="faces", version=V2),
    )
    assert (session.state, session.placement) == ("waiting", None)
    assert session.reason
    assert session.reason.code == "DataPending"
    await lab.look()
    lab.caches.finish(V1)
    lab.caches.finish(V2)
    await lab.look()
    started = lab.board.find(session.id)
    assert started.state == "running"
    assert [step.message for step in started.progress][:2] == [
        "Fetching faces@good",
        "Fetched faces@good in 1 s",
    ]


async def test_who_waits_for_data_lets_others_start(lab: Lab) -> None:
    await lab.launch("faces", gpu="4")
    second = await lab.launch(name="exp-2", gpu="4")
    assert second.state == "running"


async def test_all_that_is_wrong_is_told_at_once_and_hidden_datasets_do_not_exist(
    lab: Lab,
) -> None:
    with pytest.raises(InvalidFields) as caught:
        await lab.launch("faces@nope", "secret", "none", "Bad!", gpu="1.5")
    said = {error.field: error.message for error in caught.value.fields}
    assert said == {
        "gpu": said["gpu"],
        "data[0]": "faces has no version 'nope'.",
        "data[1]": "Dataset 'secret' not found.",
        "data[2]": "Dataset 'none' not found.",
        "data[3]": "'Bad!' is not valid.",
    }
    hints = {error.field: error.hint for error in caught.value.fields}
    assert hints["data[1]"] == hints["data[2]"] == "Datasets: faces."


async def test_a_viewer_may_not_use_what_it_sees(lab: Lab) -> None:
    with pytest.raises(InvalidFields) as caught:
        await lab.launch("faces", who="vic")
    said = {error.field: error.message for error in caught.value.fields}
    assert said["data[0]"] == "You may not use faces."


async def test_a_preview_says_what_is_cached_and_what_comes_first(lab: Lab) -> None:
    lab.caches.put(V1)
    request = SessionRequest(name="exp-1", project="team-a", data=("faces@good", "faces:/new"))
    preview = await ask(lab.backend, "sessions.preview", "ana", body=request)
    assert [each.state for each in preview.data] == ["cached", "missing"]
    assert preview.message.endswith(
        "Cached already: faces@good. faces@latest will be fetched first (1000 B)."
    )


async def test_resume_and_resize_keep_the_version(lab: Lab) -> None:
    lab.caches.put(V2)
    session = await lab.launch("faces", gpu="1")
    await lab.look()
    lab.datasets.known.insert(0, make_version(V3))
    args = {"id": session.id}
    await ask(lab.backend, "sessions.resize", "ana", args=args, body=ResizeRequest(gpu="2"))
    await ask(lab.backend, "sessions.stop", "ana", args=args)
    resumed = await ask(lab.backend, "sessions.resume", "ana", args=args, body=ResumeRequest())
    assert [mount.version for mount in resumed.spec.data] == [V2]
    assert resumed.spec.data[0].ref == "latest"


async def test_a_resume_is_refused_where_a_launch_would_be(lab: Lab) -> None:
    lab.caches.put(V2)
    session = await lab.launch("faces")
    args = {"id": session.id}
    await ask(lab.backend, "sessions.stop", "ana", args=args)
    lab.datasets.known = []
    with pytest.raises(InvalidFields) as caught:
        await ask(lab.backend, "sessions.resume", "ana", args=args, body=ResumeRequest())
    assert [error.field for error in caught.value.fields] == ["data[0]"]


async def test_a_stop_cancels_the_fetch(lab: Lab) -> None:
    session = await lab.launch("faces")
    await lab.look()
    stopped = await ask(lab.backend, "sessions.stop", "ana", args={"id": session.id})
    assert stopped.state == "stopped"
    await lab.look()
    assert lab.jobs.cancelled == ["job-1"]


async def test_names_of_datasets_are_told_to_who_sees_them_only(lab: Lab) -> None:
    session = await lab.launch("secret", "faces", who="me")
    await lab.look()
    seen = {}
    for who in ("me", "ana", "vic", "root"):
        page = await ask(lab.backend, "sessions.list", who, query=SessionQuery())
        one = await ask(lab.backend, "sessions.get", who, args={"id": session.id})
        assert page.items[0].reason == one.reason
        seen[who] = (one.reason.message, sorted(each.dataset for each in one.spec.data))
    everything = ("Fetching secret@latest: 0 %.", ["faces", "secret"])
    assert seen["me"] == seen["root"] == everything
    assert seen["ana"][0] == seen["vic"][0] == "Waiting for its data."
    assert "secret" not in {*seen["ana"][1], *seen["vic"][1]}
