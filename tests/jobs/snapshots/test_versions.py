"""Snapshots of other versions of the product: older ones are restored, newer ones are left alone.

`schema-1.json` is a manifest as the first version has written it. It is never made anew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.registry import Registry
from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.jobs.caches import Copy
from jupyter_gpuquota.jobs.job import Job, LinesReporter
from jupyter_gpuquota.jobs.verbs import restore
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.history import History
from jupyter_gpuquota.store.upload import Upload
from tests.jobs.conftest import lake, lake_url
from tests.jobs.snapshots.taken import OWNER
from tests.store.living import listing, verified

__all__ = ["lake", "lake_url"]

OLD = Path(__file__).with_name("schema-1.json")
ID = "55d5f84053575398662977861aba070bb75bf120b97c0ee05376faddd145555f"


def write(folder: Path) -> None:
    """Write what the stored manifest is about."""
    (folder / "data").mkdir(parents=True)
    (folder / "train.py").write_text("print(1)\n")
    (folder / "data" / "large").write_bytes(bytes(range(256)) * (5 << 10))
    (folder / "latest").symlink_to("data/large")


@pytest.fixture
def stored(lake, tmp_path: Path) -> str:
    """A lake with these files; no commit names them."""
    write(tmp_path / "work")
    upload = Upload(lake, Catalog(":memory:"), lambda _: None)
    return asyncio.run(upload.run(tmp_path / "work")).version


def put(lake, body: bytes) -> str:
    snapshot = identity.identity(body)
    asyncio.run(lake.put(identity.key(OWNER, snapshot), body))
    return snapshot


def registry(lake) -> Registry:
    found = Registry(lambda: {"main": lake}, lambda: None)
    asyncio.run(found.refresh())
    return found


def changed(**fields: object) -> bytes:
    return json.dumps({**json.loads(OLD.read_bytes()), **fields}).encode()


def test_a_snapshot_of_the_first_version_is_restored(
    lake, lake_url: str, stored: str, tmp_path: Path
) -> None:
    assert put(lake, OLD.read_bytes()) == ID, "it was changed"
    manifest = asyncio.run(registry(lake).manifest(ID))
    assert manifest.tree
    assert manifest.tree.version == stored, "the same files have the same id as then"
    job = Job("j1", JobReport(kind="restore", state="running"), LinesReporter("j1"))
    tree = Copy(manifest.tree.dataset, manifest.tree.version)
    folder = tmp_path / "new"
    named = argparse.Namespace(
        lake=lake_url, credentials=None, tree=tree, folder=str(folder), also=[], variables=False
    )
    asyncio.run(restore.run(job, named))
    assert listing(folder) == listing(tmp_path / "work")
    assert (manifest.note, manifest.spec.folder) == ("before the change", "/home/ana/work")


def test_fields_that_are_not_known_are_passed_over(lake, stored: str) -> None:
    tree = {**json.loads(OLD.read_bytes())["tree"], "blocks": 7}
    snapshot = put(lake, changed(mood="good", tree=tree))
    found = registry(lake)
    assert [each.snapshot.id for each in found.all()] == [snapshot]
    assert asyncio.run(found.manifest(snapshot)).note == "before the change"
    assert asyncio.run(verified(lake, stored)) == []


def test_a_newer_schema_is_told_and_nothing_of_it_is_removed(lake, stored: str) -> None:
    snapshot = put(lake, changed(schema=2))
    old = put(lake, OLD.read_bytes())
    found = registry(lake)
    assert [each.snapshot.id for each in found.all()] == [old]
    assert ["newer version" in each for each in found.problems()] == [True]
    assert not found.knows_all("main")
    with pytest.raises(Damaged, match="newer version"):
        identity.decode(changed(schema=2), snapshot)
    asyncio.run(found.remove(old))  # it has the same files
    asyncio.run(collect(lake, History(lake, conditional=True), grace=timedelta(0)))
    assert asyncio.run(verified(lake, stored)) == []


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"schema": 1}'])
def test_what_is_malformed_hides_no_other_snapshot(lake, body: bytes, stored: str) -> None:
    put(lake, body)
    old = put(lake, OLD.read_bytes())
    found = registry(lake)
    assert [each.snapshot.id for each in found.all()] == [old]
    assert len(found.problems()) == 1
    asyncio.run(lake.put(identity.marks_key(OWNER, old), body[:1]))
    for _ in range(2):
        asyncio.run(found.refresh())
        (entry,) = found.all()
        assert entry.snapshot.pin, "it might be pinned"
        assert len(found.problems()) == 2
    asyncio.run(found.mark(replace(entry.snapshot, tags=("a",), pin=None)))
    (entry,) = found.all()
    assert (entry.snapshot.tags, entry.snapshot.pin) == (("a",), None)
    assert len(found.problems()) == 1
    assert asyncio.run(verified(lake, stored)) == []
