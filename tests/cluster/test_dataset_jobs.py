"""Jobs on cached datasets as real processes: a claim is a folder of this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.errors import InUse
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.builders.helper_pod import DataJobSettings
from jupyter_gpuquota.kubernetes.datasets.capability import Around, ClusterDatasets
from jupyter_gpuquota.kubernetes.resources import JOBS
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.datasets.caches import CacheRules
from jupyter_gpuquota.model.datasets.datasets import Dataset, Lake
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.sessions import Session
from tests.cluster.lakes import ShellLake, claim, folder_lake
from tests.cluster.workloads import secret
from tests.kubernetes.fake_claims import NOW, Registry
from tests.kubernetes.test_builders import image_session
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

SETTINGS = DataJobSettings(image="any", cpu=10, memory=64)


@dataclass
class Known:
    """The datasets of a lake, as a controller has read them."""

    project: str
    lake: Lake
    found: tuple[Version, ...] = ()

    def all(self) -> tuple[Dataset, ...]:
        names = {version.dataset for version in self.found}
        return tuple(
            Dataset(name=name, lake=self.lake.name, project=self.project, owner="a", created=NOW)
            for name in sorted(names)
        )

    def lakes(self) -> tuple[Lake, ...]:
        return (self.lake,)

    async def versions(self, dataset: str) -> tuple[Version, ...]:
        return tuple(version for version in self.found if version.dataset == dataset)


@dataclass
class Site:
    """A team's namespace with a claim, and a lake."""

    cluster: Any
    namespace: str
    lake: ShellLake
    known: Known
    sessions: list[Session]

    @property
    def cache(self) -> Path:
        """The folder that the claim is."""
        found: Path = self.cluster.claim(self.namespace, "datasets")
        return found

    def tree(self, version: Version) -> Path:
        return self.cache / version.dataset / version.id / "tree"

    async def sync(self, dataset: str, **files: bytes) -> Version:
        version = await self.lake.sync(dataset, files)
        self.known.found = (version, *self.known.found)
        return version


@pytest.fixture
def site(kubelet: Any, teams: Any, tmp_path: Path) -> Site:
    team = teams.plain("team-a", processes=True)
    rest = kubelet.rest()
    rest.create(claim(team.namespace))
    rest.create(secret(team, "lake-keys", AWS_REGION="us-east-1"))
    home = tmp_path / "home"
    home.mkdir()
    lake = folder_lake(tmp_path / "lake", home)
    return Site(kubelet, team.namespace, lake, Known(team.namespace, lake.lake("lake-keys")), [])


@dataclass
class Controller:
    """The caches of a controller, and the jobs that it lists."""

    datasets: ClusterDatasets
    registry: Registry


@asynccontextmanager
async def controller(api: Api, site: Site, **settings: Any) -> AsyncIterator[Controller]:
    watches, registry = Watches(api, [site.namespace]), Registry()
    around = Around(
        datasets=lambda: site.known,
        registry=registry,
        projects=lambda: [site.namespace],
        sessions=lambda: site.sessions,
        wake=lambda _: None,
        rules=lambda _: CacheRules(),
        changed=lambda: None,
    )
    jobs = replace(SETTINGS, **settings)
    datasets = ClusterDatasets(api, watches, jobs, "datasets", "", around)
    await watches.start()
    await watches.ready()
    await datasets.open()
    try:
        yield Controller(datasets, registry)
    finally:
        await datasets.close()
        await watches.close()


async def look(found: Controller, site: Site) -> None:
    """Let a Job read what is on the claim."""
    await found.datasets.work.look(await found.datasets.cache_of(site.namespace))


async def test_a_version_is_fetched_verified_and_cleared(connected: Any, site: Site) -> None:
    version = await site.sync("mnist", a=b"one", b=b"two" * 1000)
    async with connected("admin") as api, controller(api, site) as found:
        caches = found.datasets.caches
        answer = await caches.fetch(version, "ana")
        assert answer.job
        await wait_for(lambda: site.tree(version).is_dir())
        await wait_for(lambda: [e.state for e in caches.all()] == ["cached"])
        assert (site.tree(version) / "a").read_bytes() == b"one"
        [copy] = caches.all()
        assert (copy.size, copy.files) == (version.size, 2)
        await caches.verify(version, "ana")
        await wait_for(lambda: [j.state for j in found.registry.of("verify")] == ["done"])
        assert caches.all()[0].verified
        site.sessions.append(_user(site, version))
        with pytest.raises(InUse, match="exp-1"):
            await caches.clear(version.dataset, version.id)
        site.sessions.clear()
        await caches.clear(version.dataset, version.id)
        await wait_for(lambda: not caches.all())
        assert not site.tree(version).exists()


def _user(site: Site, version: Version) -> Session:
    mount = DataMount(dataset=version.dataset, version=version.id)
    return image_session("exp-1", data=(mount,), project=site.namespace)


async def test_another_controller_reads_the_index_from_the_claim(
    connected: Any, site: Site
) -> None:
    version = await site.sync("mnist", a=b"one")
    async with connected("admin") as api:
        async with controller(api, site) as found:
            await found.datasets.caches.fetch(version, "ana")
            await wait_for(lambda: [e.state for e in found.datasets.caches.all()] == ["cached"])
        for job in await api.list(JOBS, site.namespace):
            await api.delete(JOBS, *job.key)
        async with controller(api, site) as found:
            assert not found.datasets.caches.all()
            await look(found, site)
            await wait_for(lambda: [e.state for e in found.datasets.caches.all()] == ["cached"])


async def test_a_bad_file_in_the_lake_is_named(connected: Any, site: Site, tmp_path: Path) -> None:
    version = await site.sync("mnist", a=b"one")
    for path in (tmp_path / "lake").rglob("*"):
        if path.is_file() and b"one" in path.read_bytes():
            path.chmod(0o600)
            path.write_bytes(path.read_bytes().replace(b"one", b"two"))
    async with connected("admin") as api, controller(api, site) as found:
        await found.datasets.caches.fetch(version, "ana")
        [job] = await wait_for(lambda: [j for j in found.registry.of("cache") if not j.active])
        assert job.state == "failed"
        assert job.problem
        assert job.problem.code == "Damaged"
        assert not site.tree(version).exists()


async def test_a_fetch_can_be_cancelled(connected: Any, site: Site) -> None:
    version = await site.sync("mnist", a=b"one")
    async with connected("admin") as api, controller(api, site, image="slow.test/x") as found:
        await look(found, site)
        await wait_for(lambda: found.registry.of("index")[0].state == "done")
        answer = await found.datasets.caches.fetch(version, "ana")
        assert answer.job
        await wait_for(lambda: "Pulling slow.test/x" in found.registry.jobs[answer.job.id].reason)
        assert await found.datasets.work.cancel(answer.job.id)
        await wait_for(lambda: found.registry.jobs[answer.job.id].state == "cancelled")
        assert not site.tree(version).exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"image": "missing.test/x"}, "missing.test/x cannot be pulled"),
        ({}, 'secret "lake-keys" not found'),
    ],
)
async def test_what_keeps_a_job_from_running_is_said(
    connected: Any, site: Site, settings: dict[str, Any], said: str
) -> None:
    version = await site.sync("mnist", a=b"one")
    if not settings:
        site.cluster.rest().delete(f"/api/v1/namespaces/{site.namespace}/secrets/lake-keys")
    async with connected("admin") as api:
        async with controller(api, site) as found:
            await look(found, site)
            await wait_for(lambda: found.registry.of("index")[0].state == "done")
        async with controller(api, site, **settings) as found:
            await wait_for(lambda: found.registry.of("index"))
            answer = await found.datasets.caches.fetch(version, "ana")
            assert answer.job
            await wait_for(lambda: said in found.registry.jobs[answer.job.id].reason)
            await found.datasets.work.cancel(answer.job.id)
