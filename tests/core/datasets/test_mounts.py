"""Why sessions wait for their datasets, and what previews and progress say."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from jupyter_gpuquota.core.datasets import mounts
from jupyter_gpuquota.model.datasets.caches import CachedVersion, CacheRoom
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.messages.build import reason
from tests.builders import NOW, make_session

V1 = "1" * 64
MOUNT = DataMount(dataset="faces", version=V1, ref="good")


def copy(state: Any, done: int = 0, size: int = 3_000_000_000) -> CachedVersion:
    return CachedVersion(
        dataset="faces", version=V1, state=state, size=size, files=1, done=done, used=NOW
    )


def job(state: Any, seconds: int = 10, **fields: Any) -> Job:
    return Job(
        id="j",
        kind="cache",
        dataset=fields.pop("dataset", "cats"),
        version=V1,
        state=state,
        started=NOW,
        updated=NOW + timedelta(seconds=seconds),
        size=1_000_000_000,
        **fields,
    )


@pytest.mark.parametrize(
    ("found", "jobs", "text"),
    [
        (copy("cached"), [], "Cached already: faces@good."),
        (None, [], "faces@good will be fetched first (2.8 GiB)."),
        (None, [job("failed"), job("running")], "faces@good will be fetched first (2.8 GiB)."),
        (None, [job("done")], "faces@good will be fetched first (2.8 GiB, about 30 s)."),
        (
            copy("fetching", 1_500_000_000),
            [job("done")],
            "faces@good will be fetched first (1.4 GiB, about 15 s).",
        ),
        (
            copy("fetching", 1_500_000_000),
            [job("running", dataset="faces", left=400), job("done")],
            "faces@good will be fetched first (1.4 GiB, about 6 min 40 s).",
        ),
    ],
)
def test_a_preview_says_what_is_fetched_first_and_how_long_it_takes(
    found: CachedVersion | None, jobs: list[Job], text: str
) -> None:
    preview = mounts.preview_of(MOUNT, 3_000_000_000, found, jobs)
    assert [sentence.text for sentence in mounts.sentences([preview])] == [text]


@pytest.mark.parametrize(
    ("room", "fits"),
    [
        (CacheRoom(capacity=10, committed=5), True),
        (CacheRoom(capacity=10, committed=6), False),
        (CacheRoom(capacity=10, committed=9, evictable=4), True),
        (CacheRoom(capacity=4), False),
        (CacheRoom(capacity=0), True),
        (None, True),
    ],
)
def test_what_does_not_fit_is_told(room: CacheRoom | None, *, fits: bool) -> None:
    preview = mounts.preview_of(MOUNT, 5, None, [], room)
    text = "faces@good will be fetched first (5 B)."
    wanted = text if fits else "faces@good (5 B) does not fit into the cache now."
    assert [sentence.text for sentence in mounts.sentences([preview])] == [wanted]
    assert preview.problem == ("" if fits else wanted)


def test_progress_has_a_line_for_each_version_and_how_long_it_took() -> None:
    session = make_session(data=(MOUNT,))
    why = reason("DataPending", "data.fetching", data="faces@good", done=3)
    for second in range(3):
        session = mounts.fetching(session, why, NOW + timedelta(seconds=second))
    session = mounts.fetching(session, reason("DataPending", "data.waiting", data="x"), NOW)
    session = mounts.fetched(session, NOW + timedelta(seconds=61))
    assert [line.message for line in session.progress] == [
        "Fetching faces@good",
        "Fetched faces@good in 1 min 1 s",
    ]


def test_a_session_that_found_everything_cached_says_nothing() -> None:
    assert mounts.fetched(make_session(data=(MOUNT,)), NOW).progress == ()
