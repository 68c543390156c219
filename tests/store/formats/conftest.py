"""Small data as other tools store it, and a lake to import it into."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.commits import Commit
from jupyter_gpuquota.store.formats import table
from jupyter_gpuquota.store.formats.importing import Import, bring
from jupyter_gpuquota.store.lake.objects import Objects
from tests.store.living import DATASET, log
from tests.store.s3.conftest import moto, versitygw

__all__ = ["moto", "versitygw"]

NOW = datetime(2026, 1, 1, tzinfo=UTC)

Bring = Callable[..., Coroutine[Any, Any, list[Commit]]]


@pytest.fixture
def bring_in(lake: Objects) -> Bring:
    """Import a place into the lake, and return the commits."""

    async def run(
        place: object, variables: dict[str, str] | None = None, **said: str
    ) -> list[Commit]:
        found = table.find(str(place), said.pop("format", ""))
        states = await asyncio.to_thread(found.read, str(place), variables or {})
        wanted = Import(dataset=DATASET, place=str(place), author="ana", **said)
        return await bring(
            wanted,
            states,
            lake,
            log(lake),
            Catalog(":memory:"),
            clock=lambda: NOW,
            report=lambda _: None,
        )

    return run


FILES = {"1.txt": b"one\n", "empty": b"", "sub/two \u00e9.txt": b"two\n"}
"""Files that DVC 3.67 has stored as `dvc_repository` has them."""
FOLDER = "de6c0b73e9969eeb918b65d1ccf05e35.dir"
SINGLE = "1b26352878b4ebb7a0cdc8ef486faf5a"


def md5(body: bytes) -> str:
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


@pytest.fixture
def dvc_repository(tmp_path: Path) -> Path:
    """A repository as DVC 3.67 makes it of FILES, and of `single.csv`; names are its own."""
    root = tmp_path / "repository"
    (root / ".dvc").mkdir(parents=True)
    (root / ".dvc" / "config").touch()
    listed = json.dumps([{"md5": md5(body), "relpath": path} for path, body in FILES.items()])
    objects = {FOLDER: listed.encode(), SINGLE: b"single\n"}
    objects |= {md5(body): body for body in FILES.values()}
    for name, body in objects.items():
        place = root / ".dvc" / "cache" / "files" / "md5" / name[:2] / name[2:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body)
    outputs = {"data": FOLDER, "single.csv": SINGLE}
    for path, name in outputs.items():
        text = f"outs:\n- md5: {name}\n  size: 8\n  hash: md5\n  path: {path}\n"
        (root / f"{path}.dvc").write_text(text)
    return root
