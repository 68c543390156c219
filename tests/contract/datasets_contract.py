"""What every backend with datasets promises of them."""

from __future__ import annotations

import os

import pytest

from jupyter_gpuquota.errors import (
    Damaged,
    InvalidFields,
    NameTaken,
    NotFound,
    Unavailable,
    WrongState,
)
from jupyter_gpuquota.model.datasets.files import CompareQuery, DataFile, FileQuery
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ports.datasets import Datasets
from jupyter_gpuquota.store.lake import layout
from tests.builders import NOW
from tests.contract import data
from tests.contract.data import FILES, lake_of, publish, record, store
from tests.contract.helpers import able

OWN = "s3://of-a-member/lake"


def datasets_of(backend: Backend) -> Datasets:
    """Return the capability; skip the test where the controller has no lake of its own."""
    found: Datasets = able(backend, "datasets")
    if not found.lakes():
        pytest.skip(f"the {backend.name} backend has no lake unless admins set one up")
    return found


async def names(datasets: Datasets, version: Version, path: str = "", **query: object) -> list[str]:
    page = await datasets.contents.files(version, path, FileQuery(**query))
    return [file.path for file in page.items]


class DatasetsContract:
    """The contract of the ports `Datasets` and `Contents`."""

    async def test_a_dataset_is_listed_once_it_is_created(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        before = backend.changes.revision("datasets")
        made = await datasets.create(record(description="Faces."), datasets.lakes()[0].name)
        assert (made.name, made.owner, made.description, made.own_lake, made.latest) == (
            "faces",
            "owner",
            "Faces.",
            False,
            None,
        )
        assert datasets.all() == (made,)
        assert await datasets.versions("faces") == ()
        assert backend.changes.revision("datasets") != before
        with pytest.raises(NameTaken):
            await datasets.create(record(), datasets.lakes()[0].name)
        with pytest.raises(Unavailable):
            await datasets.create(record("cats"), "nowhere")
        with pytest.raises(NotFound):
            await datasets.versions("cats")

    async def test_a_record_is_changed_and_a_dataset_removed(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        version = await publish(backend)
        changed = await datasets.change(record(readers=("team-a",)))
        assert (changed.readers, changed.versions) == (("team-a",), 1)
        await datasets.remove("faces")
        assert datasets.all() == ()
        with pytest.raises(NotFound):
            await datasets.versions(version.dataset)
        # Nothing of it is left: it may be created again.
        again = await datasets.create(record(), datasets.lakes()[0].name)
        assert (again.versions, again.readers) == (0, ())

    async def test_versions_are_those_that_the_lake_has(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        first = await publish(backend)
        second = await publish(backend, data.other())
        assert [each.id for each in await datasets.versions("faces")] == [second.id, first.id]
        assert second.parents == (first.id,)
        assert (first.files, first.size) == (3, sum(map(len, FILES.values())))
        (known,) = datasets.all()
        assert known.latest == second
        with pytest.raises(NotFound):
            await datasets.add(Version(dataset="faces", id="0" * 64, time=NOW), b"")
        with pytest.raises(InvalidFields):
            await datasets.add(Version(dataset="faces", id="latest", time=NOW), b"")

    async def test_tags_name_versions_and_go_with_them(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        first, second = await publish(backend), await publish(backend, data.other())
        await datasets.tag("faces", "good", first.id)
        await datasets.tag("faces", "best", second.id)
        await datasets.tag("faces", "good", second.id)
        tags = {each.id: each.tags for each in await datasets.versions("faces")}
        assert tags == {second.id: ("best", "good"), first.id: ()}
        await datasets.tag("faces", "best", "")
        await datasets.drop("faces", second.id)
        (left,) = await datasets.versions("faces")
        assert (left.id, left.tags) == (first.id, ())

    async def test_a_members_own_lake_is_known_by_reports_only(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        made = await datasets.create(record(), OWN)
        assert (made.lake, made.own_lake) == (OWN, True)
        version, body, _ = data.packed(FILES)
        told = Version(dataset="faces", id=version, time=NOW, tags=("good",), files=7)
        with pytest.raises(InvalidFields):
            await datasets.add(told, b"")
        for wrong in (data.packed({"b": b"other"})[1], b"no gzip", body[:-9], body + b"x"):
            with pytest.raises(InvalidFields) as caught:
                await datasets.add(told, wrong)
            assert [each.field for each in caught.value.fields] == ["manifest"]
        assert await datasets.versions("faces") == ()
        noted = await datasets.add(told, body)
        assert (noted.files, noted.tags) == (3, ("good",))
        assert await names(datasets, noted) == ["train", "a.txt"]
        with pytest.raises(WrongState, match="not cached"):
            await datasets.contents.content(noted, "a.txt", 0)
        # A second report of the same version may have more tags; the manifest is known.
        more = Version(dataset="faces", id=version, time=NOW, tags=("best",))
        again = await datasets.add(more, b"")
        assert (again.files, again.tags) == (3, ("best", "good"))
        assert len(await datasets.versions("faces")) == 1

    async def test_folders_are_listed_in_pages(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        odd = os.fsdecode(b"train/caf\xe9\n")
        version = await publish(backend, {**FILES, odd: b"odd", "train/in/deep.txt": b""})
        folder, file = (await datasets.contents.files(version, "", FileQuery())).items
        sizes = sum(len(body) for path, body in FILES.items() if path.startswith("train")) + 3
        assert folder == DataFile(path="train", name="train", kind="folder", size=sizes, files=4)
        assert (file.path, file.kind, file.size) == ("a.txt", "file", 6)
        page = await datasets.contents.files(version, "train", FileQuery(limit=2))
        assert ([each.kind for each in page.items], page.total) == (["folder", "file"], 4)
        rest = await datasets.contents.files(version, "train", FileQuery(cursor=page.next))
        assert [(each.name, each.raw) for each in rest.items] == [
            ("2.png", False),
            ("caf\\xe9\n", True),
        ]
        assert rest.next == ""
        assert await names(datasets, version, deep=True, limit=2, cursor="1") == [
            "train/1.csv",
            "train/2.png",
        ]
        assert await names(datasets, version, "a.txt") == ["a.txt"]
        assert await names(datasets, version, match="DEEP") == ["train/in/deep.txt"]
        assert await names(datasets, version, "train/in", match="png") == []
        with pytest.raises(NotFound):
            await names(datasets, version, "test")
        with pytest.raises(InvalidFields):
            await names(datasets, version, cursor="x")

    async def test_two_versions_are_compared(self, backend: Backend) -> None:
        contents = datasets_of(backend).contents
        first, second = await publish(backend), await publish(backend, data.other())
        found = await contents.compare(first, second, CompareQuery(other="latest"))
        assert [(each.path, each.change) for each in found.items] == [
            ("a.txt", "changed"),
            ("new.txt", "added"),
            ("train/2.png", "removed"),
        ]
        assert (found.added, found.removed, found.changed, found.total) == (1, 1, 1, 3)
        part = await contents.compare(first, second, CompareQuery(other="", change="added"))
        assert ([each.path for each in part.items], part.total, part.removed) == (["new.txt"], 1, 1)
        page = await contents.compare(first, second, CompareQuery(other="", limit=1, cursor="1"))
        assert ([each.path for each in page.items], page.next) == (["new.txt"], "2")

    async def test_files_are_read_from_the_lake_and_verified(self, backend: Backend) -> None:
        contents = datasets_of(backend).contents
        version = await publish(backend)
        chunk = await contents.content(version, "a.txt", 2)
        assert (chunk.data, chunk.size, chunk.ended) == (b"pha\n", 6, True)
        assert (await contents.content(version, "a.txt", 99)).data == b""
        with pytest.raises(NotFound):
            await contents.content(version, "train", 0)
        lake = lake_of(backend)
        (pack,) = [each.key async for each in lake.list(layout.PACKS)]
        await lake.put(pack, b"!" * len(b"".join(FILES.values())))
        with pytest.raises(Damaged):
            await contents.content(version, "a.txt", 0)

    async def test_files_are_previewed_but_never_run(self, backend: Backend) -> None:
        contents = datasets_of(backend).contents
        svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
        files = {**FILES, "x.svg": svg, "x.html": svg, "none": b"", "blob": b"\0\1\2"}
        version = await publish(backend, {**files, "t.tsv": b"a\tb\n1\t2\n"})
        found = {path: await contents.preview(version, path) for path in [*files, "t.tsv"]}
        assert {path: each.kind for path, each in found.items()} == {
            "a.txt": "text",
            "train/1.csv": "table",
            "train/2.png": "image",
            "x.svg": "text",
            "x.html": "text",
            "none": "none",
            "blob": "binary",
            "t.tsv": "table",
        }
        table = found["train/1.csv"]
        assert (table.columns, table.rows) == (("x", "y"), (("1", "2"), ("3", "4")))
        assert (found["train/2.png"].media_type, found["train/2.png"].data) == (
            "image/png",
            FILES["train/2.png"],
        )

    async def test_what_is_committed_without_a_report_is_found(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        first = await publish(backend)
        # Another machine's controller does not report here.
        second = await store(backend, data.other())
        await datasets.add(first, b"")
        assert [each.id for each in await datasets.versions("faces")] == [second.id, first.id]
