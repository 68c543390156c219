"""A lake on an S3 server whose credentials are in a Secret: used by Jobs, shown to nobody."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import DATA_TASK
from jupyter_gpuquota.kubernetes.resources import (
    CONFIG_MAPS,
    EVENTS,
    JOBS,
    PODS,
    STATEFUL_SETS,
)
from jupyter_gpuquota.model.datasets.caches import VerifyRequest
from jupyter_gpuquota.model.datasets.datasets import CollectRequest
from jupyter_gpuquota.model.datasets.files import ContentQuery
from jupyter_gpuquota.model.datasets.jobs import Job, JobQuery
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.routes.table import ROUTES
from scripts import programs
from scripts.s3 import servers
from tests.cluster.data_sites import ADMIN, ANA, Site, prepared, said
from tests.cluster.lakes import ShellLake
from tests.cluster.rbac import connected
from tests.contract.helpers import until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

KEYS = f"AKIA{secrets.token_hex(8)}", secrets.token_hex(20)
"""What must not be seen anywhere but in the Secret."""
OLD = secrets.token_hex(20)
"""A secret key that the server does not know."""
LATEST = {"dataset": "mnist", "version": "latest"}
QUERY = {"path": "a", "other": "latest"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of an S3 server, and the folder of its buckets."""
    programs.ensure_built(programs.VERSITYGW)
    folder, log = tmp_path_factory.mktemp("versitygw"), tmp_path_factory.mktemp("log") / "log"
    with servers.versitygw(folder, log, keys=KEYS) as endpoint:
        yield endpoint, folder


@pytest_asyncio.fixture
async def site(
    kubelet: Any, teams: Any, server: tuple[str, Path], name: str, tmp_path: Path
) -> AsyncIterator[Site]:
    """A team whose lake is in a bucket."""
    endpoint, folder = server
    (folder / name).mkdir()
    lake = ShellLake(f"s3://{name}/team/lake", tmp_path / "home", variables(endpoint))
    hard = {"requests.nvidia.com/gpu": "4"}
    team = await asyncio.to_thread(teams.with_quota, "team-a", hard, processes=True)
    yield await prepared(kubelet, team, tmp_path, lake)


def variables(endpoint: str, key: str = KEYS[1]) -> dict[str, str]:
    """Return what the Secret has."""
    return servers.environment(endpoint, (KEYS[0], key))


async def job_of(site: Site, kind: str) -> Job:
    """Return the only job of a kind once it has ended."""

    async def ended() -> Job | None:
        listed = (await site.ask("jobs.list", ADMIN, query=JobQuery())).items
        [job] = [each for each in listed if each.kind == kind]
        return None if job.active else job

    found: Job = await wait_for(ended)
    return found


async def cached(site: Site) -> bool:
    """Return whether one version is cached."""
    return [copy.state for copy in await site.copies()] == ["cached"]


async def test_a_version_is_cached_read_verified_and_cleared(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with site.controller():
        await site.set_up()
        version = await site.sync(a=b"one")
        chunk = await site.ask("versions.content", args=LATEST, query=ContentQuery(path="a"))
        assert chunk.data == b"one"
        made = await site.launch("exp-1", "sh", "-c", "cat /train/a; echo; sleep 900")
        await until(site.backend, made.id, "running")

        async def read() -> bool:
            return "one" in await said(site, made.id)

        await wait_for(read)
        await assert_mounted_read_only(site, version)
        await site.ask("versions.verify", args=LATEST, body=VerifyRequest())
        assert (await job_of(site, "verify")).state == "done"
        [copy] = await site.copies()
        assert copy.verified
        assert_unseen(await everything(site, made.id), caplog.text)
        await site.ask("sessions.stop", args={"id": made.id})
        await until(site.backend, made.id, "stopped")
        await site.ask("caches.delete", args=LATEST)
        assert (await job_of(site, "evict")).state == "done"
        assert not await site.copies()
        assert not list(site.cluster.claim(site.namespace, "datasets").glob("mnist/*/tree"))
        assert_unseen(await everything(site, made.id), caplog.text)


async def test_what_is_damaged_in_the_bucket_is_named(
    site: Site, server: tuple[str, Path], name: str
) -> None:
    async with site.controller():
        await site.set_up()
        await site.sync(a=b"one", b=b"two")
        for path in (server[1] / name).rglob("*"):
            if path.is_file() and b"one" in (body := path.read_bytes()):
                path.write_bytes(body.replace(b"one", b"xxx"))
        await site.ask("versions.verify", args=LATEST, body=VerifyRequest(cache=False))
        job = await job_of(site, "verify")
        assert job.state == "failed"
        assert job.problem
        assert job.problem.code == "Damaged"
        assert job.findings == ("a",)


async def test_what_no_version_needs_is_collected(
    site: Site, server: tuple[str, Path], name: str
) -> None:
    def bodies() -> bytes:
        found = (path for path in (server[1] / name).rglob("*") if path.is_file())
        return b"\n".join(path.read_bytes() for path in found)

    async with site.controller():
        await site.set_up()
        first = await site.sync(a=b"first of all")
        await site.sync(a=b"second to none")
        await site.ask("versions.delete", args={**LATEST, "version": first.id})
        assert b"first of all" in bodies()
        await site.ask("lakes.collect", ADMIN, args={"lake": "main"}, body=CollectRequest(grace=0))
        job = await job_of(site, "gc")
        assert job.state == "done"
        assert job.files >= 2
        assert b"first of all" not in bodies()
        assert b"second to none" in bodies()
        assert_unseen(await everything(site))


async def test_renewed_credentials_are_used(
    site: Site, server: tuple[str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    write_secret(site, variables(server[0], OLD))
    async with site.controller():
        with suppress(GpuQuotaError):
            await asyncio.wait_for(site.set_up(), 5)

        async def problem() -> str:
            [lake] = (await site.ask("lakes.list", ADMIN)).items
            return str(lake.problem)

        assert "refuses these credentials" in await wait_for(problem)
        assert_unseen(await everything(site), caplog.text)
        write_secret(site, variables(server[0]))

        async def solved() -> bool:
            return not await problem()

        await wait_for(solved)
        await site.create()
        await site.sync(a=b"one")
        await site.ask("caches.create", args=LATEST)
        await wait_for(lambda: cached(site))
        assert_unseen(await everything(site), caplog.text)


def write_secret(site: Site, content: dict[str, str]) -> None:
    """Let the Secret have other variables."""
    rest, path = site.cluster.rest(), f"/api/v1/namespaces/{site.namespace}/secrets"
    rest.delete(f"{path}/lake-keys")
    meta = {"name": "lake-keys", "namespace": site.namespace}
    rest.create({"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": content})


async def assert_mounted_read_only(site: Site, version: Version) -> None:
    """Check that the session's pod mounts the version alone, and read-only."""
    async with connected(site.cluster.kubeconfig()) as [api]:
        [made] = (await raw(api, STATEFUL_SETS, site.namespace))["items"]
    [container] = made["spec"]["template"]["spec"]["containers"]
    paths = {each["mountPath"]: each for each in container["volumeMounts"] if "subPath" in each}
    for path in ("/train", "/data/mnist"):
        assert paths[path]["readOnly"]
        assert paths[path]["subPath"].startswith(f"mnist/{version.id}/tree")
    assert KEYS[0] not in str(made)


async def raw(api: Any, resource: Any, namespace: str) -> Any:
    """Return a list as the API server gives it."""
    return msgspec.json.decode(await api.read(resource.path(namespace)))


async def everything(site: Site, *sessions: str) -> dict[str, str]:
    """Return what can be seen of a team on the cluster, over REST and on the controller's disk."""
    found = {}
    async with connected(site.cluster.kubeconfig()) as [api]:
        for kind in (JOBS, PODS, EVENTS, CONFIG_MAPS, STATEFUL_SETS):
            found[kind.plural] = str(await raw(api, kind, site.namespace))
        for job in await api.list(JOBS, site.namespace):
            assert DATA_TASK in job.metadata.annotations
            manifest = msgspec.json.decode(await api.read(JOBS.path(*job.key)))
            [container] = manifest["spec"]["template"]["spec"]["containers"]
            if job.metadata.name.split("-")[1] in {"cache", "verify", "gc"}:
                assert container["envFrom"] == [{"secretRef": {"name": "lake-keys"}}]
            else:  # it reads no lake
                assert "envFrom" not in container
        for pod in await api.list(PODS, site.namespace):
            with suppress(Fault):  # it may be gone, or have no log yet
                log = await api.read(f"{PODS.path(*pod.key)}/log")
                found[f"log of {pod.metadata.name}"] = log.decode()
    for who in (ANA, ADMIN):
        found |= {f"{name} to {who}": text async for name, text in answers(site, who)}
    for path in (site.folder / "state").rglob("*"):
        if path.is_file():
            found[str(path)] = path.read_bytes().decode(errors="replace")
    for session in sessions:
        found[session] = await said(site, session)
    return found


async def answers(site: Site, who: str) -> AsyncIterator[tuple[str, str]]:
    """Yield what all routes answer that read something, of the dataset where they name one."""
    for route in ROUTES:
        names = re.findall(r"\{(\w+)\}", route.path)
        if route.method != "GET" or route.streams or not LATEST.keys() >= set(names):
            continue
        query = msgspec.convert(_asked(route.query), route.query) if route.query else None
        try:
            answer = await site.ask(route.name, who, args=LATEST, query=query)
        except GpuQuotaError as error:
            yield route.name, f"{error} {error.hint}"
        else:
            yield route.name, msgspec.json.encode(answer).decode()


def _asked(query: type[msgspec.Struct]) -> dict[str, str]:
    """Return what a query needs."""
    return {name: QUERY[name] for name in query.__struct_fields__ if name in QUERY}


def assert_unseen(found: dict[str, str], *more: str) -> None:
    """Check that no credential is in any text."""
    assert len(found) > 20
    for where, text in (*found.items(), *enumerate(more)):
        for key in (*KEYS, OLD):
            assert key not in text, where
