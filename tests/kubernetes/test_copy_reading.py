"""Copies of volumes are read in a pod of a Job, then verified and compared."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import os
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

import jupyter_gpuquota
from jupyter_gpuquota.control.datasets.job_board import JobBoard
from jupyter_gpuquota.control.datasets.job_store import JobStore
from jupyter_gpuquota.control.inside import carrying
from jupyter_gpuquota.core.snapshots.comparison import compare
from jupyter_gpuquota.core.snapshots.notebooks import SIZE
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.builders.copy_reader import COPIES, copy_reader
from jupyter_gpuquota.kubernetes.builders.helper_pod import DataJobSettings
from jupyter_gpuquota.kubernetes.labels import COPY_READER, MANAGED_BY, MANAGER
from jupyter_gpuquota.kubernetes.resources import CLAIMS, JOBS, PODS
from jupyter_gpuquota.kubernetes.snapshots.copies.copies import Copies
from jupyter_gpuquota.kubernetes.snapshots.order import Patience
from jupyter_gpuquota.kubernetes.snapshots.reading import script
from jupyter_gpuquota.kubernetes.snapshots.reading.begun import Begun, BegunVerifications
from jupyter_gpuquota.kubernetes.snapshots.reading.comparing import FileComparing
from jupyter_gpuquota.kubernetes.snapshots.reading.files import Read, StoredFiles, read_of
from jupyter_gpuquota.kubernetes.snapshots.reading.notebooks import StoredNotebooks
from jupyter_gpuquota.kubernetes.snapshots.reading.reader import _ARCHIVE, _MODULES, CopyReader
from jupyter_gpuquota.kubernetes.snapshots.reading.verifying import Verifying
from jupyter_gpuquota.kubernetes.snapshots.restoring import Restorer
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.store.entries import Entry
from tests.kubernetes.fake_snapshots import PATIENCE, TEAM, Launches, cluster, driven, running
from tests.kubernetes.snapshot_steps import complete, taken
from tests.kubernetes.sockets import FakeSocket, Opened
from tests.waiting import wait_for

NAMES = [b"run.sh", b"a/model.bin", b"a/caf\xe9.txt"]


def tree(folder: Path) -> Path:
    """Make a folder with everything that a volume may have."""
    for name in NAMES:
        path = Path(os.fsdecode(os.fsencode(folder) + b"/" + name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name)
    (folder / "run.sh").chmod(0o755)
    (folder / "a" / "none").mkdir()
    (folder / "out").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    (folder / "lost+found").mkdir()
    return folder


def listed(base: Path) -> str:
    """Return what the program in the pod prints of the only copy."""
    environment = {**os.environ, COPIES: str(base)}
    command = carrying.command(_MODULES, "0")
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, check=True, text=True
    ).stdout


def test_everything_in_a_copy_is_listed_as_in_a_version(tmp_path: Path) -> None:
    tree(tmp_path / "0")
    [found] = carrying.answered(listed(tmp_path), script.MARK)
    read = read_of(found)
    assert read.unread == {}
    kinds = [(os.fsencode(each.path), each.mode, each.size) for each in read.entries]
    assert kinds == [
        (b"a/caf\xe9.txt", "100644", 10),
        (b"a/model.bin", "100644", 11),
        (b"a/none", "040000", 0),
        (b"out", "120000", 0),
        (b"run.sh", "100755", 6),
    ]
    assert read.entries[3].target == "/etc/passwd"


@pytest.mark.parametrize("module", _ARCHIVE)
def test_what_runs_in_the_pod_is_python_3_8(module: str) -> None:
    path = Path(jupyter_gpuquota.__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    ast.parse(path.read_text(), feature_version=(3, 8))


def test_what_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path)
    opened = os.open

    def refusing(path: str, flags: int) -> int:
        if path.endswith("run.sh"):
            raise PermissionError(13, "Permission denied")
        return opened(path, flags)

    monkeypatch.setattr(script.os, "open", refusing)
    found = script.look(str(tmp_path), script.Progress(lambda _: None))
    assert found["unread"] == [["run.sh", "Permission denied"]]
    assert "run.sh" not in [each[0] for each in found["entries"]]


def test_the_pod_reads_only_and_has_no_rights() -> None:
    made = copy_reader("4f1c", TEAM, ["one", "two"], DataJobSettings(image="i:1", deadline=60))
    spec = made["spec"]["template"]["spec"]
    claims = [each["persistentVolumeClaim"] for each in spec["volumes"][:2]]
    assert claims == [{"claimName": name, "readOnly": True} for name in ("one", "two")]
    mounts = spec["containers"][0]["volumeMounts"][:2]
    assert [(each["mountPath"], each["readOnly"]) for each in mounts] == [
        ("/copies/0", True),
        ("/copies/1", True),
    ]
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert made["spec"]["activeDeadlineSeconds"] == 60


@pytest.mark.asyncio
async def test_claims_belong_to_the_job_and_nothing_is_left_if_its_pod_does_not_run(
    tmp_path: Path,
) -> None:
    api, impatient = cluster(), Patience(ready=0.2, error=0.1, pause=0.01)
    async with driven(api), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        snapshot = await complete(controller)
        manifest = await controller.parts.snapshots.manifest(snapshot)
        assert manifest
        seen: list[Any] = []
        client = cast("Api", api)
        restorer = Restorer(client, Copies(client))
        reader = CopyReader(client, restorer, DataJobSettings(image="i:1"), impatient)
        notebooks = StoredNotebooks(StoredFiles(controller.parts._registry), snapshot)
        reading = reader.read(manifest, "4f1c", lambda *_: None, notebooks)

        def claimed() -> bool:
            seen[:] = [each for each in api.all(CLAIMS) if each["metadata"]["name"] != "work"]
            return bool(seen)

        task = asyncio.create_task(reading)
        await wait_for(claimed)
        [job] = api.all(JOBS)
        [owner] = seen[0]["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"]) == ("Job", job["metadata"]["uid"])
        with pytest.raises(Unavailable, match="does not run: it was not started"):
            await task
        assert api.all(JOBS) == []


@pytest.mark.asyncio
async def test_what_a_pod_says_is_read_with_its_notebooks(tmp_path: Path) -> None:
    (tree(tmp_path / "0") / "a.ipynb").write_bytes(b"{}")
    said = (await asyncio.to_thread(listed, tmp_path)).encode()

    async def serve(socket: FakeSocket) -> None:
        for start in range(0, len(said), 300):
            await socket.say(b"\x01" + said[start : start + 300])
        await socket.say(b'\x03{"status": "Success"}')

    api = cluster()
    async with driven(api), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        snapshot = await complete(controller)
        manifest = await controller.parts.snapshots.manifest(snapshot)
        assert manifest
        meta = {"name": "reader", "namespace": TEAM, "labels": {COPY_READER: "4f1c"}}
        spec = {"containers": [{"name": "reader"}]}
        status = {"containerStatuses": [{"name": "reader", "state": {"running": {}}}]}
        api.put(PODS, {"metadata": meta, "spec": spec, "status": status})
        api.controls.sockets[PODS.path(TEAM, "reader", "exec")] = Opened(serve)
        client = cast("Api", api)
        settings = DataJobSettings(image="i:1")
        reader = CopyReader(client, Restorer(client, Copies(client)), settings, PATIENCE)
        notebooks = StoredNotebooks(StoredFiles(controller.parts._registry), snapshot)
        found = await reader.read(manifest, "4f1c", lambda *_: None, notebooks)
        assert "a.ipynb" in [each.path for each in found["work"].entries]
        assert await notebooks.get(hashlib.sha256(b"{}").hexdigest()) == b"{}"
        assert api.all(JOBS) == []


@pytest.mark.asyncio
async def test_the_job_of_a_killed_controller_is_removed() -> None:
    api = cluster()
    settings = DataJobSettings(image="i:1")
    for number in ("1", "2"):
        await api.create(JOBS, TEAM, copy_reader(number, TEAM, ["claim"], settings))
    other = {"metadata": {"name": "other", "namespace": TEAM, "labels": {MANAGED_BY: MANAGER}}}
    api.put(JOBS, other)
    client = cast("Api", api)
    reader = CopyReader(client, Restorer(client, Copies(client)), settings, Patience())
    reader._active.add("2")
    await reader.remove_left([TEAM])
    left = {each["metadata"]["name"] for each in api.all(JOBS)}
    assert left == {"gpuquota-read-2", "other"}


FILE = Entry("a", size=1, sha256="1" * 64)
LARGE = Entry("large.ipynb", size=SIZE + 1, sha256="3" * 64)


@dataclass
class Reading:
    """A reader, and what it finds in the only volume."""

    found: Read = field(default_factory=lambda: Read((FILE, LARGE), {}))

    async def read(self, *_: Any) -> Mapping[str, Read]:
        return {"work": self.found}


class Whole:
    """Copies that are all there."""

    async def missing(self, _: Any) -> list[str]:
        return []


@pytest.mark.asyncio
async def test_the_first_verification_records_what_later_ones_and_comparisons_use(
    tmp_path: Path,
) -> None:
    api, reading = cluster(), Reading()
    async with driven(api), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        snapshot = await complete(controller)
        manifest = await controller.parts.snapshots.manifest(snapshot)
        assert manifest
        stored = StoredFiles(controller.parts._registry)
        store = JobStore()

        async def admitted(_: Job) -> None:
            return None

        board = JobBoard(store, partial(datetime.now, UTC), lambda: None, admitted, lambda _: None)
        begun_ones = BegunVerifications(controller.parts._cluster.own)
        parts = (cast("Any", Whole()), cast("Any", reading), stored, begun_ones)
        verifying = Verifying(board, *parts)

        async def ended() -> Job:
            begun = await verifying.start(snapshot, manifest, "me")
            await wait_for(lambda: not store.find(begun.id).job.active)
            return store.find(begun.id).job

        good = reading.found
        reading.found = Read(good.entries, {"b": "Permission denied"})
        refused = await ended()
        assert (refused.state, refused.findings) == ("failed", ("work/b",))
        assert await stored.get(snapshot, "work") is None

        side = (snapshot, manifest)
        empty = compare(snapshot.id, manifest, snapshot.id, manifest)
        unread = await FileComparing(stored).added(empty, side, side)
        assert f"snapshot verify {snapshot.short}" in unread.problems[0]

        reading.found = good
        first = await ended()
        assert (first.state, first.files) == ("done", 2)
        assert "recorded" in first.reason
        assert "work/large.ipynb (too large to compare: more than 8 MiB)" in first.reason
        assert await stored.get(snapshot, "work") == good.entries
        assert (await ended()).reason == ""

        reading.found = Read((Entry("a", size=1, sha256="2" * 64), LARGE), {})
        changed = await ended()
        assert (changed.state, changed.findings) == ("failed", ("work/a",))
        same = await FileComparing(stored).added(empty, side, side)
        assert (same.files, same.problems) == ((), ())
        await wait_for(begun_ones_are_gone(begun_ones))
        await verifying.close()


def begun_ones_are_gone(begun: BegunVerifications) -> Callable[[], Awaitable[bool]]:
    async def gone() -> bool:
        return await begun.all() == []

    return gone


class Endless:
    """A reader whose pod takes for ever."""

    def __init__(self) -> None:
        self.reading = asyncio.Event()

    async def read(self, *_: Any) -> Mapping[str, Read]:
        self.reading.set()
        await asyncio.Event().wait()
        raise AssertionError("it is cancelled")


@pytest.mark.asyncio
async def test_the_next_controller_begins_an_interrupted_verification_anew(tmp_path: Path) -> None:
    api, endless = cluster(), Endless()
    async with driven(api), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        snapshot = await complete(controller)
        manifest = await controller.parts.snapshots.manifest(snapshot)
        assert manifest
        registry = controller.parts._registry
        stored, begun = StoredFiles(registry), BegunVerifications(controller.parts._cluster.own)
        whole = cast("Any", Whole())

        async def admitted(_: Job) -> None:
            return None

        def board(store: JobStore) -> JobBoard:
            clock = partial(datetime.now, UTC)
            return JobBoard(store, clock, lambda: None, admitted, lambda _: None)

        earlier = Verifying(board(JobStore()), whole, cast("Any", endless), stored, begun)
        job = (await earlier.start(snapshot, manifest, "me")).id
        await endless.reading.wait()
        await earlier.close()
        await begun.put(Begun(job="5e5e", snapshot="0" * 64, user="me"))

        store = JobStore()
        later = Verifying(board(store), whole, cast("Any", Reading()), stored, begun)
        await later.resume(registry)
        await wait_for(lambda: not store.find(job).job.active)
        assert (store.find(job).job.state, store.find(job).job.user) == ("done", "me")
        lost = store.find("5e5e").job
        assert lost.problem
        assert lost.problem.message.startswith("The verification was interrupted")
        await wait_for(begun_ones_are_gone(begun))
        await later.close()
