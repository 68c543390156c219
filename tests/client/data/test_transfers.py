"""Verbs that move data: the process that is started, and the job that is followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.client.data.datasets import Datasets
from jupyter_gpuquota.errors import Conflict, Damaged, Internal, InvalidFields, NotAllowed, NotFound
from jupyter_gpuquota.model.datasets.caches import CacheAnswer
from jupyter_gpuquota.model.struct import Problem
from tests.client.answering import Answering
from tests.client.data.samples import FIRST, make_copy, make_dataset, make_job, make_version
from tests.client.inmemory import Surroundings

PROBLEM = msgspec.json.encode(Problem(code="NotAllowed", message="No credentials.")).decode()
OWN = make_dataset(lake="s3://mine/lake", own_lake=True)


@dataclass
class FakeProcess:
    """A process that runs, or has ended with a code and last words."""

    id: str = "job1"
    code: int | None = None
    words: str = ""

    def exit_code(self, timeout: float | None = 0) -> int | None:
        return self.code

    def said(self, most: int = 2000) -> str:
        return self.words[-most:]


@dataclass
class Place:
    """Datasets of a server whose answers a test has written, on a machine without processes."""

    server: Answering
    process: FakeProcess = field(default_factory=FakeProcess)
    started: list[tuple[str, list[str]]] = field(default_factory=list)
    on_pause: Callable[[], None] = lambda: None

    @property
    def datasets(self) -> Datasets:
        place = self

        class Here(Surroundings):
            def spawn(self, verb: str, arguments: Sequence[str]) -> FakeProcess:
                place.started.append((verb, list(arguments)))
                return place.process

            def pause(self, seconds: float) -> None:
                place.on_pause()

        return Datasets(Here(self.server))


@pytest.fixture
def place() -> Place:
    return Place(
        Answering(
            {
                "datasets.get": make_dataset(),
                "versions.get": make_version(),
                "jobs.get": [make_job("waiting"), make_job(), make_job("done")],
                "jobs.cancel": make_job(cancelling=True),
            }
        )
    )


class TestSync:
    def test_it_starts_a_process_and_returns_the_version(self, place, tmp_path):
        seen: list[str] = []
        version = place.datasets.sync(
            "digits", tmp_path, message="-x", tag="v1", progress=lambda job: seen.append(job.state)
        )
        assert version.id == FIRST
        assert seen == ["waiting", "running", "done"]
        words = ["--message=-x", "--tag=v1", "--", "digits", str(tmp_path)]
        assert place.started == [("sync", words)]
        assert place.server.asked[-1].args == {"dataset": "digits", "version": FIRST}

    def test_a_relative_folder_is_below_the_working_one(self, place, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "data").mkdir()
        place.datasets.sync("digits", "data")
        assert place.started[0][1][-1] == str(tmp_path / "data")

    def test_without_waiting_the_job_is_returned(self, place):
        job = place.datasets.sync("digits", "/", wait=False)
        assert (job.id, job.state) == ("job1", "waiting")

    def test_nothing_is_started_for_a_dataset_that_is_not_there(self, place):
        place.server.answers["datasets.get"] = NotFound("No such dataset.")
        with pytest.raises(NotFound):
            place.datasets.sync("digits", "/")
        assert place.started == []

    @pytest.mark.parametrize(("name", "said"), [("no\nne", "does not exist"), ("file", "is not a")])
    def test_a_folder_that_is_none_is_refused_at_once(self, place, tmp_path, name, said):
        (tmp_path / "file").touch()
        with pytest.raises(InvalidFields) as caught:
            place.datasets.sync("digits", tmp_path / name)
        (problem,) = caught.value.fields
        assert problem.field == "folder"
        assert said in problem.message
        assert "\n" not in problem.message
        assert place.started == []


class TestFailures:
    @pytest.mark.parametrize(
        ("last", "error", "said"),
        [
            (
                make_job("failed", problem=Problem(code="Damaged", message="Torn.")),
                Damaged,
                "Torn.",
            ),
            (make_job("cancelled"), Conflict, "The sync of digits was cancelled."),
            (make_job("lost"), Conflict, "no longer reports"),
            (make_job("melted"), Conflict, "is melted"),
        ],
    )
    def test_a_job_that_fails_raises(self, place, last, error, said):
        place.server.answers["jobs.get"] = [make_job(), last]
        with pytest.raises(error, match=said):
            place.datasets.sync("digits", "/")

    @pytest.mark.parametrize(
        ("code", "words", "error"),
        [
            (5, f"No credentials.\n{PROBLEM}", NotAllowed),
            (1, "Traceback …\nOSError", Internal),
            (0, "", Internal),
        ],
    )
    def test_a_process_that_ends_before_it_reports_is_understood(self, place, code, words, error):
        place.server.answers["jobs.get"] = NotFound("No such job.")
        place.process = FakeProcess(code=code, words=words)
        with pytest.raises(error, match=words.splitlines()[0] if words else "exit code 0"):
            place.datasets.sync("digits", "/")

    def test_a_restarted_controller_hears_of_the_job_again(self, place):
        gone = NotFound("No such job.")
        place.server.answers["jobs.get"] = [make_job(), gone, gone, make_job("done")]
        assert place.datasets.sync("digits", "/").id == FIRST

    def test_a_job_that_never_comes_back_is_not_waited_for(self, place):
        place.server.answers["jobs.get"] = NotFound("No such job.")
        with pytest.raises(NotFound):
            place.datasets.follow("job1")


class TestInterrupts:
    def test_an_interrupt_cancels_and_waits_for_the_end(self, place):
        place.server.answers["jobs.get"] = [make_job(), make_job(cancelling=True), *ENDED]
        raised: list[Any] = []

        def interrupt() -> None:
            if not raised:
                raised.append(True)
                raise KeyboardInterrupt

        place.on_pause = interrupt
        seen: list[tuple[str, bool]] = []
        with pytest.raises(KeyboardInterrupt):
            place.datasets.sync(
                "digits", "/", progress=lambda job: seen.append((job.state, job.cancelling))
            )
        assert seen == [("running", False), ("running", True), ("cancelled", False)]
        assert place.server.routes.count("jobs.cancel") == 1


ENDED = [make_job("cancelled")]


class TestCache:
    def test_what_is_there_needs_no_job(self, place):
        place.server.answers["caches.create"] = CacheAnswer(copy=make_copy())
        assert place.datasets.cache("digits@v1").state == "cached"
        assert place.started == []

    def test_the_controller_fetches_from_its_lakes(self, place):
        job = make_job(kind="cache")
        place.server.answers["caches.create"] = [
            CacheAnswer(job=job),
            CacheAnswer(copy=make_copy()),
        ]
        assert place.datasets.cache("digits@v1").state == "cached"
        assert place.started == []

    def test_only_we_read_our_own_lake(self, place):
        place.server.answers |= {
            "datasets.get": OWN,
            "caches.create": CacheAnswer(copy=make_copy()),
        }
        assert place.datasets.cache("digits@v1").state == "cached"
        assert place.started == [("cache", ["--", f"digits@{FIRST}"])]

    def test_detached(self, place):
        place.server.answers["caches.create"] = CacheAnswer(job=make_job(kind="cache"))
        assert place.datasets.cache("digits@v1", wait=False).id == "job1"


class TestVerify:
    @pytest.mark.parametrize("state", ["done", "failed"])
    def test_damaged_paths_are_found(self, place, state):
        place.server.answers["versions.verify"] = make_job(kind="verify")
        problem = Problem(code="Damaged", message="1 path is damaged.")
        last = make_job(state, kind="verify", findings=("a.png",), problem=problem)
        place.server.answers["jobs.get"] = last
        assert place.datasets.verify("digits@v1").findings == ("a.png",)

    def test_our_own_lake_is_verified_by_our_own_process(self, place):
        place.server.answers["datasets.get"] = OWN
        place.datasets.verify("digits@v1", cache=False)
        ((verb, words),) = place.started
        assert (verb, words[-3:]) == ("verify", ["--only=lake", "--", f"digits@{FIRST}"])


def test_our_own_lake_is_collected_by_our_own_process(place):
    place.datasets.collect("s3://mine/lake", grace=60)
    assert place.started == [("gc", ["--lake=s3://mine/lake", "--grace=60"])]


def test_an_export_names_the_version_by_its_id(place):
    place.datasets.export("digits@v1", "/out")
    assert place.started == [("export", ["--", f"digits@{FIRST}", "/out"])]
