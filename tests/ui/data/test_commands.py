"""`data`: what a command sends, what it shows, and what completion offers."""

from __future__ import annotations

import os
from contextlib import suppress

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import Conflict, InUse, InvalidRequest, NotFound
from jupyter_gpuquota.model.datasets.caches import CacheAnswer, CacheList, CacheRoom, Lease, Pin
from jupyter_gpuquota.model.datasets.datasets import DatasetList, Lake, LakeList
from jupyter_gpuquota.model.datasets.files import Comparison, ContentChunk, Difference
from jupyter_gpuquota.model.datasets.jobs import JobList
from jupyter_gpuquota.model.datasets.versions import VersionCopy
from jupyter_gpuquota.model.struct import Nothing, Page, Problem
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.completion import Source, candidates
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.client.answering import Answering
from tests.client.data.samples import (
    FIRST,
    NOW,
    SECOND,
    make_copy,
    make_dataset,
    make_file,
    make_job,
    make_version,
)
from tests.ui.conftest import Notes

EVIL = os.fsdecode(b"a\n\x1b[31m\xe9")


@pytest.fixture
def server() -> Answering:
    return Answering()


@pytest.fixture
def client(server: Answering) -> Client:
    return Client(transport=server)


@pytest.fixture
def say(client, console):
    """Run a line, and return its view."""

    def say(line: str, *, terminal: bool = False):
        console.shell = terminal
        return run(client, parse(split_line(f"data {line}"), terminal=terminal), console)

    return say


class TestDatasets:
    def test_all_options_are_sent(self, server, say):
        server.answers["datasets.create"] = make_dataset()
        view = say(
            "init digits --lake s3://ours/lake -p team-a --read team-b,team-c --write all "
            "--description 'small images'"
        )
        assert server.asked[0].body == {
            "name": "digits",
            "lake": "s3://ours/lake",
            "project": "team-a",
            "description": "small images",
            "readers": ["team-b", "team-c"],
            "writers": ["*"],
        }
        assert "jupyter gpu data sync digits FOLDER" in view.text

    def test_data_alone_lists_them(self, server, say):
        dataset = make_dataset(latest=make_version(), versions=2, cached=1)
        server.answers["datasets.list"] = DatasetList(
            items=(dataset,), problems=("The lake far does not answer.",)
        )
        view = say("")
        assert "digits  team-a   ana    2" in view.text
        assert "3 files, 4.4 KiB" in view.text
        assert view.text.endswith("The lake far does not answer.")
        assert "3 files, 4.4 KiB" in view.html

    @pytest.mark.parametrize(
        ("line", "sent"),
        [
            ("--read none", {"readers": []}),
            ("--write team-b", {"writers": ["team-b"]}),
            ("--description ''", {"description": ""}),
        ],
    )
    def test_sharing(self, server, say, line, sent):
        server.answers["datasets.change"] = make_dataset()
        say(f"share digits {line}")
        given = {name: value for name, value in server.asked[0].body.items() if value is not None}
        assert given == sent

    def test_sharing_needs_something_to_change(self, say):
        with pytest.raises(InvalidRequest):
            say("share digits")

    def test_show_tells_datasets_and_versions_apart(self, server, say):
        server.answers |= {"datasets.get": make_dataset(), "versions.get": make_version()}
        assert "owner:" in say("show digits").text
        assert FIRST in say("show digits@v1").text

    def test_what_is_removed_is_said(self, server, say):
        server.answers |= {"datasets.delete": Nothing(), "versions.delete": Nothing()}
        assert say("rm digits").text == "Removed digits and all its versions."
        assert say("rm digits@v1").text == "Removed digits@v1."


class TestFiles:
    def test_awkward_names_never_reach_the_terminal_raw(self, server, say, console):
        bad = make_file("YQobWzMxbek=", raw=True, size=12)
        link = make_file("l", kind="link", target="a\x1bb")
        folder = make_file("train", kind="folder", files=1200, size=3_600_000)
        server.answers["versions.files"] = Page(items=(folder, bad, link), total=3, revision="1")
        assert say("ls digits@v1", terminal=True) is None
        lines = "".join(console.written).splitlines()
        assert lines == [
            "  3.4 MiB     1,200 files  train/",
            "     12 B                  a\\n\\x1b[31m\\xe9",
            "                           l -> a\\x1bb",
        ]
        view = say("ls digits@v1")
        assert "\x1b" not in view.text + view.html
        assert view.df["path"].tolist() == ["train", EVIL, "l"]

    def test_a_limited_list_says_how_much_is_left(self, server, say, console):
        page = Page(items=(make_file("a"),), total=7, revision="1", next="1")
        server.answers["versions.files"] = page
        say("ls digits@v1:x --limit 1", terminal=True)
        assert console.lines == ["… and 6 more: --limit 0 lists all."]
        assert server.asked[0].query == {"path": "x", "limit": "1"}

    def test_differences(self, server, say):
        items = (
            Difference(path="a", change="added", after=1000),
            Difference(path="b", change="removed", before=2),
            Difference(path="Ygo=", raw=True, change="changed", before=1, after=2),
            Difference(path="c", change="painted"),
        )
        server.answers["versions.compare"] = Comparison(
            items=items, total=4, revision="1", before=FIRST, after=SECOND, added=1, removed=1
        )
        assert say("diff digits@v1 digits@v2").text.splitlines() == [
            f"{FIRST[:12]} → {SECOND[:12]}: 1 added, 1 removed, 0 changed",
            "+ a  (1000 B)",
            "- b  (2 B)",
            "~ b\\n  (1 B → 2 B)",
            "painted c  (0 B)",
        ]

    def test_bytes_are_printed_unchanged(self, server, say, console):
        server.answers["versions.content"] = ContentChunk(data=b"\x00\xff\n", offset=0, size=3)
        assert say("cat digits@v1:x", terminal=True) is None
        assert console.pieces == [b"\x00\xff\n"]


class TestCaches:
    def test_pins_and_users_are_listed(self, server, say):
        copy = make_copy(
            leases=(Lease(session="s1", name="team-a/exp1", since=NOW),),
            pins=(Pin(user="ana", why="paper", until=NOW),),
        )
        room = CacheRoom(capacity=10_000, used=4500, committed=6000, evictable=0, free=9000)
        server.answers["caches.list"] = CacheList(items=(copy,), room=room)
        text = say("caches").text
        assert "4.4 KiB of 9.8 KiB used, 5.9 KiB with what is being fetched" in text
        assert "team-a/exp1" in text
        assert "ana until 2026-03-01" in text

    def test_the_users_of_a_copy_are_named_by_the_error(self, server, say):
        server.answers["caches.delete"] = InUse("team-a/exp1 uses it.")
        with pytest.raises(InUse, match="team-a/exp1"):
            say("uncache digits@v1")

    def test_pinning(self, server, say):
        server.answers |= {"caches.pin": make_copy(pins=(Pin(user="ana"),))}
        assert say("pin digits@v1 --until 2d --why paper").text.endswith("is pinned by ana.")
        server.answers["caches.unpin"] = make_copy(pins=(Pin(user="li"),))
        assert say("unpin digits@v1").text.endswith("; still pinned by li.")

    def test_a_path_is_printed_as_it_is(self, server, say, console):
        copy = VersionCopy(state="cached", folder="/cache/digits")
        server.answers["versions.get"] = make_version(copy=copy)
        assert say("path digits@v1", terminal=True) is None
        assert console.pieces == [b"/cache/digits\n"]
        assert say("path digits@v1").data == {"path": "/cache/digits"}

    def test_without_a_copy_there_is_no_path(self, server, say):
        server.answers["versions.get"] = make_version()
        with pytest.raises(NotFound):
            say("path digits@v1")

    def test_caching_shows_progress(self, server, say, console):
        moving = make_job(
            kind="cache", files=1, all_files=3, done=1500, size=4500, rate=100, left=30
        )
        server.answers |= {
            "versions.get": make_version(),
            "datasets.get": make_dataset(),
            "caches.create": [CacheAnswer(job=moving), CacheAnswer(copy=make_copy())],
            "jobs.get": [moving, make_job("done", kind="cache")],
        }
        assert say("cache digits@v1").text == f"digits@{FIRST[:12]} is cached: 4.4 KiB."
        assert console.redrawn[0] == (
            "cache digits: 1 of 3 files, 1.5 KiB of 4.4 KiB, 100 B/s, 30 s left"
        )
        assert console.redrawn[-1] == ""

    def test_detached_the_id_is_printed_alone(self, server, say):
        server.answers |= {
            "versions.get": make_version(),
            "datasets.get": make_dataset(),
            "caches.create": CacheAnswer(job=make_job(kind="cache")),
        }
        assert say("cache digits@v1 --detach").text == "job1"


class TestJobs:
    def test_they_are_listed_with_their_process(self, server, say):
        jobs = (
            make_job(pid=4321, folder="a\n\x1b[31m", done=450, size=4500),
            make_job("failed", problem=Problem(code="Damaged", message="Torn.")),
            make_job(cancelling=True),
        )
        server.answers["jobs.list"] = JobList(items=jobs)
        text = say("jobs digits --active").text
        assert "running 10 %" in text
        assert "4321" in text
        assert "cancelling" in text
        assert "Torn." in text
        assert "\x1b" not in text

    def test_cancelling(self, server, say):
        server.answers["jobs.cancel"] = make_job(cancelling=True)
        assert say("cancel job1").text == "Cancelling the sync job1."

    @pytest.mark.parametrize(
        ("job", "line"),
        [
            (make_job("waiting", reason="Waits for job0."), "sync digits: Waits for job0"),
            (make_job("waiting"), "sync digits: waiting"),
            (make_job(), "sync digits: starting"),
            (make_job(cancelling=True), "sync digits: cancelling"),
            (make_job("cancelled", cancelling=True), "sync digits cancelled"),
            (make_job(files=5), "sync digits: 5 files"),
            (make_job("done", files=5, all_files=5), "sync digits done: 5 of 5 files"),
        ],
    )
    def test_progress(self, server, say, console, job, line):
        server.answers["jobs.get"] = [job, make_job("done")]
        with suppress(Conflict):
            say("wait job1")
        assert console.redrawn[0] == line


class TestVerify:
    @pytest.fixture
    def ready(self, server):
        server.answers |= {
            "versions.get": make_version(),
            "datasets.get": make_dataset(),
            "versions.verify": make_job(kind="verify"),
        }

    @pytest.mark.usefixtures("ready")
    def test_damaged_paths_are_named_and_fail(self, server, say):
        bad = ("a.png", "b\\n")
        server.answers["jobs.get"] = make_job("done", kind="verify", findings=bad)
        view = say("verify digits@v1 --cache")
        assert server.asked[-2].body == {"lake": False, "cache": True}
        assert view.exit_code == 1
        assert view.text.splitlines()[:2] == ["a.png", "b\\n"]
        assert view.failure in view.text

    @pytest.mark.usefixtures("ready")
    def test_what_is_intact_succeeds(self, server, say):
        server.answers["jobs.get"] = make_job("done", kind="verify", files=3)
        view = say("verify digits@v1")
        assert (view.exit_code, view.text) == (0, f"digits@{FIRST[:12]} is intact (3 files).")


def test_lakes(server, say):
    lakes = (Lake(name="local", url="file:///lake", default=True),)
    server.answers["lakes.list"] = LakeList(items=lakes)
    assert "local (default)  file:///lake" in say("lakes").text


class TestCompletion:
    @pytest.fixture
    def offered(self, server):
        tagged = make_version(tags=("v1",))
        server.answers |= {
            "datasets.list": DatasetList(items=(make_dataset(), make_dataset("faces"))),
            "versions.list": Page(items=(tagged,), total=1, revision="1"),
            "versions.files": Page(
                items=(make_file("train/cats", kind="folder"), make_file("train/a\nb")),
                total=2,
                revision="1",
            ),
            "jobs.list": JobList(items=(make_job(),)),
        }
        source = Source(lambda: server)

        def offered(line: str) -> list[str]:
            *words, beginning = line.split(" ")
            found = candidates(words, source, beginning)
            return [word for word in found if word.startswith(beginning)]

        return offered

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("data sync ", ["digits", "faces"]),
            ("data show dig", ["digits"]),
            ("data show digits@", [f"digits@{FIRST[:12]}", "digits@latest", "digits@v1"]),
            ("data diff digits@v1 digits@l", ["digits@latest"]),
            ("data ls digits@v1:train/", ["digits@v1:train/cats/"]),
            ("data cancel ", ["job1"]),
            ("data versions d", ["digits"]),
        ],
    )
    def test_names_versions_and_paths(self, offered, line, words):
        assert [word for word in offered(line) if not word.startswith("-")] == words

    def test_nothing_is_offered_for_a_name_that_cannot_be(self, offered):
        assert [w for w in offered("data ls ../x:") if not w.startswith("-")] == []


def test_notebooks_and_the_shell_have_the_same_commands() -> None:
    for shell in (True, False):
        assert parse(["data"], terminal=shell).chosen.name == "list"
    assert Notes().redrawn == []
