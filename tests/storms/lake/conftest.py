"""A lake to storm: in a folder, or behind a real S3 server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.s3.conftest import versitygw
from tests.storms.lake.place import Place

__all__ = ["versitygw"]


@pytest.fixture
def place(tmp_path: Path, seed: int) -> Iterator[Place]:
    """A lake in a folder, and a folder that is synced to it."""
    with closing(Place(tmp_path, random.Random(seed))) as place:  # noqa: S311 (no secret)
        yield place


@pytest.fixture(params=["folder", pytest.param("versitygw", marks=pytest.mark.rare)])
def any_place(request: pytest.FixtureRequest, tmp_path: Path, seed: int) -> Iterator[Place]:
    """The same, also on a real S3 server."""
    server = request.getfixturevalue("versitygw") if request.param == "versitygw" else None
    with closing(Place(tmp_path, random.Random(seed), server)) as place:  # noqa: S311 (no secret)
        yield place
