"""A real API server for the tests of this folder, and what each of them creates on it."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from jupyter_gpuquota.kubernetes.connecting import connect
from jupyter_gpuquota.kubernetes.connection.rest import Rest
from scripts.cluster.cluster import Cluster, running
from tests.cluster.connections import all_ended
from tests.cluster.existing import Existing
from tests.cluster.proxy import FaultProxy
from tests.cluster.teams import Team, Teams

LONGEST = (
    # Asks for each namespace of the cluster again and again: first there are few.
    "test_credentials.py",
    "test_contract.py",
    "test_second_cluster.py",
    "test_notebook_kernel.py",
    "test_browser.py",
    "test_snapshots.py",
    "test_snapshot_kills.py",
    "test_fetch_kills.py",
    "test_chart.py",
    "test_scenarios.py",
    "test_volumes.py",
    "test_api_faults.py",
    "test_datasets.py",
    "test_hostings.py",
    "test_snapshot_code.py",
    "test_s3_lakes.py",
)
"""The files that take longest, in the order in which parallel workers begin them."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; those of the longest files come first."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker("cluster")
    order = {here / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path, len(order)))


@pytest_asyncio.fixture(autouse=True)
async def _connections_have_ended() -> AsyncIterator[None]:
    """Let everything that was closed end before the event loop of the test does."""
    yield
    await all_ended()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster | Existing]:
    """The cluster of this run: the one of `make test-cluster`, an existing one, or a new one."""
    if folder := os.environ.get("CLUSTER_TEST"):
        yield Cluster(Path(folder))
    elif kubeconfig := os.environ.get("KUBECONFIG_TEST"):
        with Existing.connected(Path(kubeconfig)) as existing:
            yield existing
    else:
        with running() as started:
            yield started


@pytest.fixture(scope="session")
def kubelet(cluster: Cluster | Existing) -> Cluster:
    """The cluster, if pods can be processes of this machine: see `Teams.processes`."""
    if isinstance(cluster, Existing):
        pytest.skip("pods of an existing cluster are not processes of this machine")
    return cluster


@pytest.fixture
def connected(cluster: Cluster | Existing) -> Callable[[str], AbstractAsyncContextManager[Rest]]:
    """Returns a user's connection by the product's own client: `async with connected("alice")`."""

    @asynccontextmanager
    async def connection(user: str = "admin") -> AsyncIterator[Rest]:
        rest = await connect(str(cluster.kubeconfig(user)))
        try:
            yield rest
        finally:
            await rest.close()

    return connection


@pytest.fixture
def name() -> str:
    """A name that no other test has: a prefix for everything that is created."""
    return f"t{secrets.token_hex(4)}"


@pytest.fixture
def teams(cluster: Cluster | Existing, name: str) -> Iterator[Teams]:
    """Makes namespaces with quota, which go with the test."""
    made = Teams(cluster.rest(), name)
    yield made
    made.remove()


@pytest.fixture(scope="module")
def module_teams(cluster: Cluster | Existing) -> Iterator[Teams]:
    """Makes namespaces with quota, which go with the tests of a module."""
    made = Teams(cluster.rest(), f"t{secrets.token_hex(4)}")
    yield made
    made.remove()


@pytest.fixture
def team_a(teams: Teams) -> Team:
    """A namespace of alice and carol, with 4 GPUs in Kueue."""
    return teams.with_kueue("team-a", milli=4000)


@pytest.fixture
def team_b(teams: Teams) -> Team:
    """A namespace of bob, with 2 GPUs in the same cohort."""
    return teams.with_kueue("team-b", milli=2000)


@pytest.fixture
def proxy(cluster: Cluster | Existing, tmp_path: Path) -> Iterator[Callable[..., FaultProxy]]:
    """Starts proxies in front of the API server, which answer wrongly where a test wants it."""
    with ExitStack() as proxies:

        def start(user: str = "admin") -> FaultProxy:
            return proxies.enter_context(FaultProxy.running(cluster.kubeconfig(user), tmp_path))

        yield start
