"""Training code in a pod takes a snapshot, by its session's token, of what the pod has inside."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.controller import https_mount
from jupyter_gpuquota.controller.authentication import AttemptLimit, Authentication
from jupyter_gpuquota.controller.https_mount import Address
from jupyter_gpuquota.controller.tls import Certificate
from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.model.snapshots.restore import RestoreRequest
from jupyter_gpuquota.model.snapshots.runs import Run, RunList
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotDetails, SnapshotQuery
from scripts.ports import free_port
from tests.cluster.data_sites import ANA, Site
from tests.cluster.rbac import bind, connected
from tests.cluster.snapshots import snapshot_site, taken
from tests.contract.helpers import until
from tests.controller.hosted import Files
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

HIDDEN = "hunter-22222"
TRAIN = """
import json, pathlib, subprocess, time
import jupyter_gpuquota

def git(*words):
    who = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    subprocess.run(["git", *who, *words], check=True)

train = pathlib.Path("train.py")
train.write_text("lr = 1\\n")
git("init", "-q")
git("remote", "add", "origin", "https://me:" + SECRET + "@example.org/me/code.git")
git("add", "train.py")
git("commit", "-qm", "first")
train.write_text("lr = 2\\nopen_with('" + SECRET + "')\\n")
cells = [{"cell_type": "code", "execution_count": 1, "source": "1", "outputs": [], "metadata": {}}]
notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
pathlib.Path("look.ipynb").write_text(json.dumps(notebook))
pathlib.Path("model.pt").write_text("weights")
print("epoch 1 with", SECRET, flush=True)
made = jupyter_gpuquota.snapshot(tag="best", metrics={"loss": 0.5}, artifacts=["*.pt"])
print("taken", bool(made), flush=True)
time.sleep(600)
"""


@asynccontextmanager
async def reached(site: Site, folder: Path) -> AsyncIterator[None]:
    """Run a controller that pods can reach."""
    files, port = Files(folder), free_port()
    settings = {"controller_url": f"https://127.0.0.1:{port}", "controller_ca": str(files.ca)}
    async with site.controller(**settings) as backend:
        authentication = Authentication([], backend.access, AttemptLimit())
        application = https_mount.application(InProcess(backend), authentication)
        context = Certificate(files.certificate, files.key).context
        server = https_mount.listen(application, Address("127.0.0.1", port), context)
        yield
        server.stop()
        await server.close_all_connections()


async def only(site: Site, who: str = ANA) -> SnapshotDetails | None:
    """Return the only snapshot that somebody sees, once it is there."""
    listed = (await site.ask("snapshots.list", who, query=SnapshotQuery())).items
    if not listed or listed[0].state == "making":
        return None
    found: SnapshotDetails = await site.ask("snapshots.get", who, args={"snapshot": listed[0].id})
    return found


async def test_training_code_takes_a_snapshot_of_its_session(
    kubelet: Any, teams: Any, tmp_path: Path
) -> None:
    site = await snapshot_site(kubelet, teams, tmp_path)
    async with reached(site, tmp_path):
        await site.set_up()
        program = f"SECRET = {HIDDEN!r}\n{TRAIN}"
        made = await site.launch(
            "train", sys.executable, "-c", program, data=(), env={"API_TOKEN": HIDDEN}
        )
        found = await wait_for(lambda: only(site))
        manifest = found.manifest
        assert manifest, found.snapshot.problem
        assert (manifest.session, manifest.trigger, manifest.tags) == (made.id, "code", ("best",))
        assert manifest.metrics == {"loss": 0.5}
        [git] = manifest.git
        assert (git.remote, git.dirty) == ("https://example.org/me/code.git", True)
        assert set(git.untracked) == {"look.ipynb", "model.pt"}
        [notebook] = manifest.notebooks
        assert (notebook.path, notebook.cells, notebook.executed) == ("look.ipynb", 1, 1)
        assert [each.path for each in manifest.artifacts] == ["model.pt"]
        assert manifest.environment.python
        assert manifest.environment.packages
        # These tests run from a checkout, which may have changes.
        problems = {each.part for each in manifest.problems}
        assert {part for part in problems if not part.startswith("left out:")} == {"env:API_TOKEN"}
        [log] = manifest.logs
        stored = tmp_path / "lake"
        patch, text = (
            (stored / identity.file_key(manifest.owner, found.snapshot.id, each)).read_text()
            for each in (git.patch, log.sha256)
        )
        assert "+lr = 2" in patch
        assert "epoch 1 with ***" in text
        assert not any(HIDDEN in each for each in (patch, text, repr(manifest)))
        await others_see_nothing(site, found)


LOGS = """
import mlflow, time
mlflow.set_tracking_uri("sqlite:///mlflow.db")
with mlflow.start_run(run_name="first"):
    mlflow.log_params({"lr": 0.1, "api_token": "hunter-22222"})
    mlflow.log_metric("loss", 0.5)
time.sleep(600)
"""


async def test_runs_are_read_in_the_pod_and_are_in_snapshots(
    kubelet: Any, teams: Any, tmp_path: Path
) -> None:
    site = await snapshot_site(kubelet, teams, tmp_path)
    async with site.controller():
        await site.set_up()
        made = await site.launch("tracked", sys.executable, "-c", LOGS, data=())
        await until(site.backend, made.id, "running")
        run = await wait_for(lambda: finished_run(site, made.id))
        assert (run.name, run.params) == ("first", {"lr": "0.1", "api_token": "***"})
        assert run.metrics == {"loss": 0.5}
        found = await taken(site, made)
        assert found.manifest
        assert found.manifest.run
        assert (found.manifest.mlflow_run, found.manifest.run.params) == (run.id, run.params)

        async def is_tagged() -> bool:
            now = await finished_run(site, made.id)
            return now is not None and now.snapshot == found.snapshot.id

        await wait_for(is_tagged)
        await site.ask("sessions.suspend", args={"id": made.id})
        await until(site.backend, made.id, "suspended")

        async def said() -> bool:
            return "not running" in (await runs_of(site, made.id)).problem

        await wait_for(said)


async def runs_of(site: Site, session: str) -> RunList:
    """Return the runs of a session."""
    found: RunList = await site.ask("sessions.runs", args={"id": session})
    return found


async def finished_run(site: Site, session: str) -> Run | None:
    """Return the newest run, once it is over."""
    items = (await runs_of(site, session)).items
    return items[0] if items and items[0].status == "FINISHED" else None


async def others_see_nothing(site: Site, found: SnapshotDetails) -> None:
    """Check that a colleague neither sees nor restores a snapshot."""
    async with connected(site.cluster.kubeconfig()) as [admin]:
        await bind(admin, site.namespace, "member", "bo-of-data")
    assert await only(site, "bo-of-data") is None
    args = {"snapshot": found.snapshot.id}
    with pytest.raises(NotFound):
        await site.ask("snapshots.get", "bo-of-data", args=args)
    with pytest.raises(NotFound):
        await site.ask("snapshots.restore", "bo-of-data", args=args, body=RestoreRequest(name="x"))
