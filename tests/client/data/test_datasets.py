"""Verbs of datasets that are one call each, and lists of many pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields, NotFound
from jupyter_gpuquota.model.datasets.caches import CacheList, CacheRoom
from jupyter_gpuquota.model.datasets.datasets import DatasetList
from jupyter_gpuquota.model.datasets.files import Comparison, ContentChunk, Difference
from jupyter_gpuquota.model.datasets.jobs import JobList
from jupyter_gpuquota.model.datasets.versions import VersionCopy
from jupyter_gpuquota.model.struct import Nothing, Page
from tests.client.answering import Answering, Asked
from tests.client.data.samples import (
    FIRST,
    SECOND,
    make_copy,
    make_dataset,
    make_file,
    make_job,
    make_version,
)


@pytest.fixture
def server() -> Answering:
    return Answering()


@pytest.fixture
def client(server: Answering) -> Client:
    return Client(transport=server)


def fields_of(caught: pytest.ExceptionInfo[InvalidFields]) -> list[str]:
    return [problem.field for problem in caught.value.fields]


class TestDatasets:
    def test_they_are_listed_as_a_table(self, server, client):
        latest = make_version(files=3, size=4500)
        server.answers["datasets.list"] = DatasetList(items=(make_dataset(latest=latest),))
        found = client.datasets.list()
        assert [each.name for each in found] == ["digits"]
        (row,) = found.df.to_dict("records")
        assert (row["name"], row["files"], row["size"], row["latest"]) == ("digits", 3, 4500, FIRST)

    def test_one_is_created_with_its_rights(self, server, client):
        server.answers["datasets.create"] = make_dataset()
        client.datasets.init("digits", lake="s3://ours/lake", read=["team-b"], write=["*"])
        (asked,) = server.asked
        assert asked.body["lake"] == "s3://ours/lake"
        assert (asked.body["readers"], asked.body["writers"]) == (["team-b"], ["*"])

    def test_sharing_keeps_what_is_not_named(self, server, client):
        server.answers["datasets.change"] = make_dataset()
        client.datasets.share("digits", read=[])
        (asked,) = server.asked
        assert asked.body["readers"] == []
        assert asked.body["writers"] is asked.body["project"] is None

    def test_one_project_is_a_list_too(self, client):
        with pytest.raises(InvalidFields) as caught:
            client.datasets.share("digits", read="team-b")
        assert fields_of(caught) == ["read"]

    @pytest.mark.parametrize(
        ("name", "route"), [("digits", "datasets.delete"), ("digits@v1", "versions.delete")]
    )
    def test_versions_and_datasets_are_removed(self, server, client, name, route):
        server.answers[route] = Nothing()
        client.datasets.remove(name)
        assert server.routes == [route]

    def test_a_file_cannot_be_removed(self, client):
        with pytest.raises(InvalidFields) as caught:
            client.datasets.remove("digits@v1:a.png")
        assert fields_of(caught) == ["path"]


class TestVersions:
    def test_without_a_reference_the_latest_is_meant(self, server, client):
        server.answers["versions.get"] = make_version()
        assert client.datasets.show("digits").id == FIRST
        assert server.asked[0].args == {"dataset": "digits", "version": "latest"}

    def test_they_are_tagged_and_untagged(self, server, client):
        server.answers |= {"versions.tag": make_version(tags=("v1",)), "versions.untag": Nothing()}
        client.datasets.tag("digits@3f3f", "v1")
        client.datasets.untag("digits", "v1")
        assert server.asked[0].body == {"version": "3f3f"}
        assert [asked.args["tag"] for asked in server.asked] == ["v1", "v1"]

    @pytest.mark.parametrize("verb", ["tag", "untag"])
    def test_what_can_be_no_tag_is_refused_at_once(self, server, client, verb):
        with pytest.raises(InvalidFields) as caught:
            getattr(client.datasets, verb)("digits", "a/b")
        assert fields_of(caught) == ["tag"]
        assert server.routes == []

    @pytest.mark.parametrize("verb", ["show", "uncache", "unpin"])
    def test_a_path_is_refused_where_a_version_is_meant(self, client, verb):
        with pytest.raises(InvalidFields) as caught:
            getattr(client.datasets, verb)("digits@v1:a")
        assert fields_of(caught) == ["path"]


class TestFiles:
    @staticmethod
    def pages(asked: Asked) -> Page:
        """Return pages of two of five entries."""
        start = int(asked.query.get("cursor", 0))
        items = tuple(make_file(f"f{i}") for i in range(start, min(start + 2, 5)))
        return Page(items=items, total=5, revision="1", next=str(start + 2) if start < 3 else "")

    def test_all_pages_are_read(self, server, client):
        server.answers["versions.files"] = self.pages
        found = client.datasets.files("digits@v1")
        assert [each.name for each in found] == ["f0", "f1", "f2", "f3", "f4"]
        assert found.next == ""
        assert [asked.query.get("cursor") for asked in server.asked] == [None, "2", "4"]

    def test_a_limit_ends_the_list(self, server, client):
        server.answers["versions.files"] = self.pages
        found = client.datasets.files("digits@v1", limit=2)
        assert (len(found), found.total, found.next) == (2, 5, "2")
        assert [asked.query["limit"] for asked in server.asked] == ["2"]

    def test_paths_with_any_bytes_travel(self, server, client):
        server.answers["versions.files"] = Page(items=(), total=0, revision="1")
        client.datasets.files(f"digits:{os.fsdecode(b'caf%s' % bytes([0xE9]))}", match="x")
        assert server.asked[0].query == {
            "path": "Y2Fm6Q==",
            "raw": "True",
            "match": "x",
            "limit": "1000",
        }

    def test_differences_are_summed(self, server, client):
        def answer(asked: Asked) -> Comparison:
            at = int(asked.query.get("cursor", 0))
            one = Difference(path=f"f{at}", change="added", after=7)
            return Comparison(
                items=(one,),
                total=2,
                revision="1",
                next="" if at else "1",
                before=FIRST,
                after=SECOND,
                added=2,
            )

        server.answers["versions.compare"] = answer
        found = client.datasets.diff("digits@v1", "digits@v2")
        assert [each.path for each in found] == ["f0", "f1"]
        assert (found.added, found.before, found.after) == (2, FIRST, SECOND)
        assert [asked.query["other"] for asked in server.asked] == ["v2", "v2"]

    def test_only_versions_of_one_dataset_are_compared(self, client):
        with pytest.raises(InvalidFields) as caught:
            client.datasets.diff("digits@v1", "faces@v1")
        assert fields_of(caught) == ["other"]

    def test_a_file_is_read_in_pieces(self, server, client):
        whole = bytes(range(256)) * 3

        def answer(asked: Asked) -> ContentChunk:
            at = int(asked.query.get("offset", 0))
            return ContentChunk(data=whole[at : at + 300], offset=at, size=len(whole))

        server.answers["versions.content"] = answer
        assert client.datasets.read("digits@v1:x/labels.bin") == whole
        assert [asked.query.get("offset") for asked in server.asked] == [None, "300", "600"]

    def test_an_empty_file_has_no_bytes(self, server, client):
        server.answers["versions.content"] = ContentChunk(data=b"", offset=0, size=0)
        assert client.datasets.read("digits@v1:empty") == b""

    def test_a_version_is_no_file(self, client):
        with pytest.raises(InvalidFields) as caught:
            client.datasets.read("digits@v1")
        assert fields_of(caught) == ["path"]


class TestCaches:
    def test_they_are_listed_with_their_room(self, server, client):
        room = CacheRoom(capacity=10_000, used=4500)
        server.answers["caches.list"] = CacheList(items=(make_copy(),), room=room)
        found = client.datasets.caches()
        assert found.room == room
        assert found.rows[0]["state"] == "cached"

    def test_pins_have_an_end_and_a_reason(self, server, client):
        server.answers["caches.pin"] = make_copy()
        client.datasets.pin("digits@v1", until="2d", why="paper")
        assert server.asked[0].body == {"until": "2d", "why": "paper"}

    def test_the_path_is_that_of_the_copy(self, server, client, tmp_path):
        (tmp_path / "labels.csv").touch()
        copy = VersionCopy(state="cached", folder=str(tmp_path))
        server.answers["versions.get"] = make_version(copy=copy)
        assert client.datasets.path("digits@v1") == tmp_path
        assert client.datasets.path("digits@v1:labels.csv") == Path(tmp_path, "labels.csv")
        with pytest.raises(NotFound, match="no such path"):
            client.datasets.path("digits@v1:nothing")

    @pytest.mark.parametrize(
        ("copy", "said"),
        [(None, "not cached here"), (VersionCopy(state="fetching"), "being fetched")],
    )
    def test_what_is_not_cached_has_no_path(self, server, client, copy, said):
        server.answers["versions.get"] = make_version(copy=copy)
        with pytest.raises(NotFound, match=said) as caught:
            client.datasets.path("digits@v1")
        assert "data cache digits@v1" in caught.value.hint


def test_jobs_are_listed(server, client):
    server.answers["jobs.list"] = JobList(items=(make_job("done"),))
    assert client.datasets.jobs("digits", active=True).rows[0]["state"] == "done"
    assert server.asked[0].query == {"dataset": "digits", "active": "True"}
