"""Lakes over S3: a fake that fails on purpose, moto, and versitygw."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio

from jupyter_gpuquota.store.lake.connection import Connection, connect
from scripts import programs
from scripts.s3 import servers
from tests.store.conftest import fill
from tests.store.s3.faulty import Faulty, running

BACKOFF = {"init_backoff": timedelta(milliseconds=5), "max_backoff": timedelta(milliseconds=20)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path / "folder", 2 << 20)


@pytest_asyncio.fixture
async def faulty() -> AsyncIterator[Faulty]:
    async with running() as server:
        yield server


@pytest.fixture
def lake(faulty: Faulty) -> Connection:
    """The fake, by a client that gives up soon."""
    retries = {"max_retries": 4, "backoff": BACKOFF, "retry_timeout": timedelta(seconds=60)}
    config = servers.config(faulty.endpoint)
    return connect("s3://b/lake", **config, retry_config=retries)


@pytest.fixture(scope="session")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not servers.MOTO.exists():
        pytest.skip("moto is not installed in .venv-moto: `make test-setup` does that")
    with servers.moto(tmp_path_factory.mktemp("moto") / "log") as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def versitygw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of versitygw, and the folder of its buckets."""
    if not programs.program(programs.VERSITYGW).exists():
        pytest.skip("versitygw is not built: `make test-setup` does that")
    folder = tmp_path_factory.mktemp("versitygw")
    with servers.versitygw(folder, tmp_path_factory.mktemp("log") / "log") as endpoint:
        yield endpoint, folder


@pytest.fixture(params=["moto", pytest.param("versitygw", marks=pytest.mark.rare)])
def real(request: pytest.FixtureRequest) -> Connection:
    """An empty lake on a real server."""
    bucket = f"b{uuid4().hex}"
    if request.param == "moto":
        endpoint = request.getfixturevalue("moto")
        servers.make_bucket(endpoint, bucket)
    else:
        endpoint, root = request.getfixturevalue("versitygw")
        (root / bucket).mkdir()
    return connect(f"s3://{bucket}/team/lake", **servers.config(endpoint))
