"""Clients of a server in memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jupyter_gpuquota.client.sessions import Sessions
from jupyter_gpuquota.ports.backend import Backend
from tests.client.inmemory import InMemory, Surroundings
from tests.fakes import make_backend


@pytest.fixture
def backend() -> Backend:
    return make_backend()


@pytest.fixture
def transport(backend: Backend) -> InMemory:
    return InMemory(backend)


@pytest.fixture
def make(transport: InMemory) -> Callable[..., Sessions]:
    """Make the verbs of sessions in surroundings that a test describes."""

    def make(**surroundings: object) -> Sessions:
        return Sessions(Surroundings(transport, **surroundings))

    return make


@pytest.fixture
def sessions(make: Callable[..., Sessions]) -> Sessions:
    return make()


@pytest.fixture
def preferred(tmp_path, monkeypatch):
    """Keep preferences in a folder of the test's own."""
    monkeypatch.delenv("JUPYTER_NO_CONFIG", raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "config" / "gpuquota.json"
