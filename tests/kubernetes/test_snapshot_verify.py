"""What the lake has of a cluster's snapshot is verified, and whether the copies are there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.errors import Damaged, Unavailable
from jupyter_gpuquota.kubernetes.snapshots.kinds import SNAPSHOTS
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.snapshots.manifest import (
    FilePart,
    GitPart,
    KernelPart,
    Manifest,
    NotebookPart,
)
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot
from jupyter_gpuquota.store.lake.objects import Objects
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_snapshots import TEAM, Controller, Launches, cluster, driven, running
from tests.kubernetes.snapshot_steps import complete, taken

pytestmark = pytest.mark.asyncio

PATCH, LOG, VARIABLES = b"patch", b"epoch 1", b"zip"


class Site:
    """A controller with a snapshot of the volume `work`, beside whose manifest files are stored."""

    def __init__(self, controller: Controller, folder: Path) -> None:
        self.controller = controller
        self.folder = folder / "lake"
        self.registry = controller.parts._registry

    @property
    def lake(self) -> Objects:
        return self.registry.objects("main")

    async def store(self, note: str = "", digest: str = "1" * 64) -> Snapshot:
        """Store a snapshot with files beside its manifest, as another one of the same copies."""
        [first, *_] = self.controller.parts.snapshots.all()
        manifest = await self.registry.manifest(first.id)
        made = {body: identity.identity(body) for body in (PATCH, LOG, VARIABLES)}
        more = replace(
            manifest,
            note=note,
            git=(GitPart(folder="src", patch=made[PATCH]), GitPart(folder="clean")),
            logs=(FilePart(path="log.txt", size=7, sha256=made[LOG]),),
            kernel=KernelPart(provider="pickle", path="variables.zip", sha256=made[VARIABLES]),
            notebooks=(NotebookPart(path="a.ipynb", sha256=digest),),
        )
        body = identity.encode(more)
        snapshot = identity.identity(body)
        for each, name in made.items():
            await self.lake.put(identity.file_key(more.owner, snapshot, name), each)
        await self.lake.put(identity.key(more.owner, snapshot), body)
        await self.registry.refresh()
        return self.registry.find(snapshot).snapshot

    async def verify(self, snapshot: Snapshot) -> Job:
        return await self.controller.parts.snapshots.verify(snapshot, "me")

    def file(self, snapshot: Snapshot, body: bytes) -> Path:
        """Return the file of a local lake with one that is stored beside a manifest."""
        return self.folder / identity.file_key(snapshot.owner, snapshot.id, identity.identity(body))


@pytest.fixture
def api() -> FakeApi:
    return cluster()


@pytest_asyncio.fixture
async def site(api: FakeApi, tmp_path: Path) -> AsyncIterator[Site]:
    async with driven(api), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        await complete(controller)
        yield Site(controller, tmp_path)


async def test_what_is_whole_is_told_and_that_the_files_of_copies_were_not_read(site: Site) -> None:
    job = await site.verify(await site.store())
    assert (job.kind, job.state, job.user, job.files, job.done) == ("verify", "done", "me", 3, 15)
    assert job.reason == (
        "The manifest and the 3 files beside it in the lake are intact, and the copies of work "
        "are ready to use; their files were not read."
    )


async def test_what_the_lake_has_lost_or_changed_is_named(site: Site) -> None:
    snapshot = await site.store()
    site.file(snapshot, PATCH).write_bytes(b"other")
    site.file(snapshot, LOG).unlink()
    job = await site.verify(snapshot)
    assert (job.state, job.findings) == ("failed", ("git:src", "log.txt"))
    assert job.problem
    assert job.problem.message.startswith("The snapshot is damaged")


async def test_a_manifest_that_was_changed_is_an_error(site: Site) -> None:
    snapshot = await site.store()
    path = site.folder / identity.key(snapshot.owner, snapshot.id)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(Damaged):
        await site.verify(snapshot)


async def test_copies_that_are_gone_or_not_ready_are_named(site: Site, api: FakeApi) -> None:
    snapshot = await site.store()
    [copy] = api.all(SNAPSHOTS)
    await api.delete(SNAPSHOTS, TEAM, copy["metadata"]["name"])
    assert (await site.verify(snapshot)).findings == ("volume:work",)


async def test_no_job_is_left_while_the_cluster_does_not_answer(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def missing(_: Manifest) -> list[str]:
        raise Unavailable("The API server does not answer.")

    monkeypatch.setattr(site.controller.parts._copies, "missing", missing)
    with pytest.raises(Unavailable):
        await site.verify(await site.store())
    assert [
        each
        for each in site.controller.parts._cluster.jobs._store.known.values()
        if each.job.kind == "verify"
    ] == []


async def test_manifests_are_compared_and_one_note_says_what_is_not(site: Site) -> None:
    one, two = await site.store("one"), await site.store("two", digest="2" * 64)
    found = await site.controller.parts.snapshots.compare(one, two)
    assert [(each.path, each.change, each.text) for each in found.notebooks] == [
        ("a.ipynb", "changed", "")
    ]
    assert (found.files, found.volumes) == ((), ())
    assert found.problems == (
        "On a cluster, the files in volumes and the cells of notebooks are not compared.",
    )
