"""Copies of volumes are read in the pod of a Job, of which nothing is left."""

from __future__ import annotations

import ast
import asyncio
import io
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any, cast

import pytest

import jupyter_gpuquota
from jupyter_gpuquota.control.inside import carrying
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.builders.copy_reader import COPIES, copy_reader
from jupyter_gpuquota.kubernetes.builders.helper_pod import DataJobSettings
from jupyter_gpuquota.kubernetes.labels import COPY_READER, MANAGED_BY, MANAGER
from jupyter_gpuquota.kubernetes.resources import CLAIMS, JOBS, PODS
from jupyter_gpuquota.kubernetes.snapshots.claims import Restorer
from jupyter_gpuquota.kubernetes.snapshots.copies import Copies
from jupyter_gpuquota.kubernetes.snapshots.export import _ARCHIVE, CopyReader
from jupyter_gpuquota.kubernetes.snapshots.order import Patience
from jupyter_gpuquota.model.snapshots.manifest import Manifest
from tests.kubernetes.fake_snapshots import PATIENCE, TEAM, Launches, cluster, driven, running
from tests.kubernetes.snapshot_steps import complete, taken
from tests.kubernetes.sockets import FakeSocket, Opened
from tests.waiting import wait_for


async def archived(reader: CopyReader, manifest: Manifest) -> bytes:
    """Return the archive of a snapshot."""
    return b"".join([part async for part in reader.archive(manifest, "4f1c")])


@pytest.mark.parametrize("module", _ARCHIVE)
def test_what_runs_in_the_pod_is_python_3_8(module: str) -> None:
    path = Path(jupyter_gpuquota.__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    ast.parse(path.read_text(), feature_version=(3, 8))


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

        def claimed() -> bool:
            seen[:] = [each for each in api.all(CLAIMS) if each["metadata"]["name"] != "work"]
            return bool(seen)

        task = asyncio.create_task(archived(reader, manifest))
        await wait_for(claimed)
        [job] = api.all(JOBS)
        [owner] = seen[0]["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"]) == ("Job", job["metadata"]["uid"])
        with pytest.raises(Unavailable, match="does not run: it was not started"):
            await task
        assert api.all(JOBS) == []


@pytest.mark.asyncio
async def test_what_the_pod_writes_is_streamed(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "model.txt").write_text("first")
    command = carrying.command(_ARCHIVE, "0", "work")
    said = (
        await asyncio.to_thread(
            subprocess.run,
            command,
            env={**os.environ, COPIES: str(tmp_path)},
            stdout=subprocess.PIPE,
            check=True,
        )
    ).stdout

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
        body = await archived(reader, manifest)
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            assert archive.getnames() == ["work", "work/model.txt"]
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
