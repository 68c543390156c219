"""One JupyterHub for all its tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.hub.hub import INSTALLED, Hub, Person


@pytest.fixture(scope="session")
def hub() -> Iterator[Hub]:
    assert INSTALLED.is_dir(), "JupyterHub is not installed in .venv-hub: `make test-hub` does that"
    # Not pytest's folder: sockets and the Hub's database want short paths.
    with TemporaryDirectory(prefix="hub-") as folder:
        hub = Hub(Path(folder))
        with hub.running():
            yield hub


@pytest.fixture(scope="session")
def people(hub: Hub) -> list[Person]:
    """Start three JupyterLabs at the same time."""
    return hub.people("ana", "li", "root-admin")


@pytest.fixture
def ana(people: list[Person]) -> Person:
    return people[0]


@pytest.fixture
def li(people: list[Person]) -> Person:
    return people[1]


@pytest.fixture
def admin(people: list[Person]) -> Person:
    return people[2]
