"""Notebooks of copies are stored by verifications, and their cells are compared."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jupyter_gpuquota.control.inside import carrying
from jupyter_gpuquota.control.snapshots.registry import Registry
from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.core.snapshots.comparison import compare
from jupyter_gpuquota.core.snapshots.notebooks import SIZE
from jupyter_gpuquota.errors import Damaged, Unavailable
from jupyter_gpuquota.kubernetes.builders.copy_reader import COPIES
from jupyter_gpuquota.kubernetes.snapshots.reading import script
from jupyter_gpuquota.kubernetes.snapshots.reading.comparing import FileComparing, Side
from jupyter_gpuquota.kubernetes.snapshots.reading.files import Read, StoredFiles
from jupyter_gpuquota.kubernetes.snapshots.reading.notebooks import StoredNotebooks
from jupyter_gpuquota.kubernetes.snapshots.reading.output import heard
from jupyter_gpuquota.kubernetes.snapshots.reading.reader import _MODULES
from jupyter_gpuquota.model.snapshots.comparison import SnapshotComparison
from jupyter_gpuquota.model.snapshots.manifest import Manifest, NotebookPart, VolumePart
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.history import History
from tests.builders import make_spec
from tests.notebook_files import notebook, with_nbdime

OWNER = "ana"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ONE, TWO = notebook("x = 1"), notebook("x = 2")


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def printed(base: Path, files: Mapping[str, bytes]) -> bytes:
    """Return what the program in the pod prints of a volume with these files."""
    (base / "0").mkdir(parents=True)
    for name, body in files.items():
        path = base / "0" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    environment = {**os.environ, COPIES: str(base)}
    command = (sys.executable, *carrying.command(_MODULES, "0")[1:])
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout


async def pieces(output: bytes, size: int = 100) -> AsyncIterator[bytes]:
    for start in range(0, len(output), size):
        yield output[start : start + size]


class Site:
    """A lake with snapshots of a session that mounts the volume `work`."""

    def __init__(self, folder: Path) -> None:
        (folder / "lake").mkdir()
        self.lake = connect((folder / "lake").as_uri())
        self.registry = Registry(lambda: {"main": self.lake}, lambda: None)
        self.files = StoredFiles(self.registry)
        self._folder = folder

    async def take(self, note: str, *listed: NotebookPart) -> Side:
        """Store the manifest of a snapshot; its session has listed some notebooks."""
        manifest = Manifest(
            session="s1",
            name="exp-1",
            project="team-a",
            owner=OWNER,
            author=OWNER,
            created=NOW,
            note=note,
            spec=make_spec(),
            notebooks=listed,
            volumes=(VolumePart(volume="work", path="/work", provider="csi", handle=note),),
        )
        body = identity.encode(manifest)
        snapshot = identity.identity(body)
        await self.lake.put(identity.key(OWNER, snapshot), body)
        await self.registry.refresh()
        return self.registry.find(snapshot).snapshot, manifest

    async def verify(self, side: Side, files: Mapping[str, bytes]) -> StoredNotebooks:
        """Store what is in a copy, as a verification does, and return its notebooks."""
        notebooks = StoredNotebooks(self.files, side[0])
        output = await asyncio.to_thread(printed, self._folder / side[0].short, files)
        read = await heard(pieces(output), ["work"], lambda *_: None, notebooks)
        await self.files.put(side[0], "work", read["work"].entries)
        return notebooks

    async def compare(self, before: Side, after: Side) -> SnapshotComparison:
        """Return what differs, with the cells of notebooks."""
        empty = compare(before[0].id, before[1], after[0].id, after[1])
        return await FileComparing(self.files).added(empty, before, after)

    async def keys(self, side: Side) -> list[str]:
        """Return the ends of the keys of a snapshot."""
        every = [each.key async for each in self.lake.list(identity.folder(OWNER))]
        own = identity.keys_of(OWNER, side[0].id, every)
        return sorted(each.partition(".")[2] for each in own)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.asyncio
async def test_notebooks_are_stored_once_and_go_with_their_snapshot(site: Site) -> None:
    one, two = await site.take("one"), await site.take("two")
    copied = {"a.ipynb": ONE, "b/copy.ipynb": ONE, "b/c.ipynb": TWO, ".ssh/key.ipynb": b"secret"}
    notebooks = await site.verify(one, copied)
    await site.verify(two, {"a.ipynb": ONE})
    listing = identity.files_key("", "", "work").rpartition(".")[2]
    assert await site.keys(one) == sorted([digest(ONE), digest(TWO), listing, "json"])
    assert await notebooks.get(digest(TWO)) == TWO
    assert await notebooks.get(digest(b"secret")) is None
    history = History(site.lake, conditional=True)
    await collect(site.lake, history, grace=timedelta(0))
    assert len(await site.keys(one)) == 4
    await site.registry.remove(one[0].id)
    assert await site.keys(one) == []
    assert await StoredNotebooks(site.files, two[0]).get(digest(ONE)) == ONE


@pytest.mark.asyncio
async def test_only_what_is_lacking_is_stored_of_what_was_recorded(
    site: Site, tmp_path: Path
) -> None:
    side = await site.take("one")
    notebooks = await site.verify(side, {"a.ipynb": ONE})
    output = await asyncio.to_thread(printed, tmp_path / "now", {"a.ipynb": TWO})
    parts = pieces(output)
    read = await heard(parts, ["work"], lambda *_: None, notebooks)
    assert read["work"].entries[0].sha256 == digest(TWO)
    assert await notebooks.get(digest(TWO)) is None
    assert await anext(parts, b""), "what nobody needs is not read"
    fresh = StoredNotebooks(site.files, (await site.take("two"))[0])
    unread = Read(read["work"].entries, {"b": "Permission denied"})
    assert await fresh.lacking({"work": unread}) == set()


@pytest.mark.asyncio
async def test_progress_is_told_and_what_is_unclear_is_an_error(site: Site) -> None:
    notebooks = StoredNotebooks(site.files, (await site.take("one"))[0])
    told: list[tuple[int, int]] = []

    async def said(output: str) -> None:
        await heard(
            pieces(output.encode(), 3), ["work"], lambda *pair: told.append(pair), notebooks
        )

    for output, why in (
        (f"{script.PROGRESS}2 30\nno such module", "no such module"),
        ("", "It printed nothing"),
        (f"{script.MARK}eJyr\n", "did not list their files"),
        (f"{script.NOTEBOOK}!\n", "did not list their files"),
    ):
        with pytest.raises(Unavailable, match=why):
            await said(output)
    assert told == [(2, 30)]


@pytest.mark.asyncio
async def test_a_damaged_notebook_is_told(site: Site) -> None:
    side = await site.take("one")
    notebooks = await site.verify(side, {"a.ipynb": ONE})
    await site.lake.put(identity.file_key(OWNER, side[0].id, digest(ONE)), b"{}")
    with pytest.raises(Damaged):
        await notebooks.get(digest(ONE))


@pytest.mark.asyncio
async def test_cells_of_volumes_and_of_what_the_session_has_listed_are_compared(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_nbdime(monkeypatch)
    large = b" " * (SIZE + 1)
    one = await site.take("one", NotebookPart(path="a.ipynb", sha256=digest(ONE)))
    two = await site.take("two", NotebookPart(path="a.ipynb", sha256=digest(TWO)))
    changed = await site.compare(one, two)
    assert [(each.path, each.text) for each in changed.notebooks] == [("a.ipynb", "")]
    assert len(changed.problems) == 2, "only that both are to be verified"
    await site.verify(one, {"a.ipynb": ONE, "b/c.ipynb": ONE, "large.ipynb": large})
    await site.verify(two, {"a.ipynb": TWO, "b/c.ipynb": notebook("y = 3"), "large.ipynb": ONE})
    found = await site.compare(one, two)
    texts = {each.path: each.text for each in found.notebooks}
    assert list(texts) == ["a.ipynb", "work/b/c.ipynb", "work/large.ipynb"]
    assert "-  x = 1\n+  x = 2" in texts["a.ipynb"]
    assert "-  x = 1\n+  y = 3" in texts["work/b/c.ipynb"]
    assert [each.path for each in found.files] == [
        "work/a.ipynb",
        "work/b/c.ipynb",
        "work/large.ipynb",
    ]
    assert found.problems == ("work/large.ipynb: too large to compare: more than 8 MiB.",)


@pytest.mark.asyncio
async def test_why_a_notebook_is_not_stored_is_told(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nbdime", None)
    one = await site.take("one", NotebookPart(path="home.ipynb", sha256=digest(b"old")))
    two = await site.take("two", NotebookPart(path="home.ipynb", sha256=digest(b"new")))
    await site.verify(one, {"a.ipynb": ONE})
    await site.verify(two, {"a.ipynb": TWO})
    lost = identity.file_key(OWNER, two[0].id, digest(TWO))
    await site.lake.delete([lost])
    found = await site.compare(one, two)
    assert [(each.path, each.change) for each in found.notebooks] == [
        ("home.ipynb", "changed"),
        ("work/a.ipynb", "changed"),
    ]
    assert found.problems == (
        f"home.ipynb: as it was in {one[0].short}, it is in no volume that both snapshots have.",
        f"work/a.ipynb: not stored yet: jupyter gpu snapshot verify {two[0].short} does it.",
    )
