"""Logs are read by cursors that survive equal time stamps, rotation and restarts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import SESSION as LABEL
from jupyter_gpuquota.kubernetes.labels import object_name
from jupyter_gpuquota.kubernetes.logs import chunks
from jupyter_gpuquota.kubernetes.logs.chunks import Position, parse, read_cursor
from jupyter_gpuquota.kubernetes.logs.kept import BYTES
from jupyter_gpuquota.kubernetes.logs.logs import KubeLogs
from jupyter_gpuquota.kubernetes.objects.pods import (
    ContainerState,
    ContainerStatus,
    Running,
    Terminated,
    Waiting,
)
from jupyter_gpuquota.kubernetes.resources import SECRETS
from jupyter_gpuquota.kubernetes.session_pods import pod_path
from jupyter_gpuquota.model.ending import Exit
from jupyter_gpuquota.model.sessions import LogQuery
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.kubelet_log import KubeletLog, stamp
from tests.kubernetes.session_pod import CONTAINER, make_pod, make_running

SESSION = make_running()
RUNNING = ContainerState(running=Running())
ENDED = ContainerState(terminated=Terminated(exit_code=1))
BACKOFF = ContainerState(waiting=Waiting(reason="CrashLoopBackOff"))


class Lab:
    """The logs of one session."""

    def __init__(self, *texts: str, session=SESSION, stamps=stamp) -> None:
        self.log = KubeletLog(*((stamps(at), text) for at, text in enumerate(texts)))
        self.api = FakeApi()
        self.session = session
        self.pod = None
        self.becomes(RUNNING)
        self.logs = KubeLogs(self.api, self.find, lambda *_: self.pod)

    def becomes(self, state: ContainerState, restarts: int = 0, last=None) -> None:
        status = ContainerStatus(
            name=CONTAINER,
            restart_count=restarts,
            state=state,
            last_state=last or ContainerState(),
        )
        self.pod = make_pod(SESSION, container_statuses=(status,))
        self.api.controls.answers[pod_path(self.pod, "log")] = self.log

    def find(self, session_id: str):
        if session_id != self.session.id:
            raise NotFound("No such session.")
        return self.session

    async def read(self, **query):
        return await self.logs.read(self.session.id, LogQuery(**query))

    async def rest(self, cursor: str = "", limit: int = 100) -> str:
        texts = []
        while (chunk := await self.read(cursor=cursor, limit=limit)).text:
            texts.append(chunk.text)
            cursor = chunk.cursor
        return "".join(texts)


async def test_a_log_is_followed_by_its_cursor():
    lab = Lab("a\n", "b\n")
    chunk = await lab.read()
    assert (chunk.text, chunk.earlier, chunk.missed, chunk.ended) == ("a\nb\n", "", False, False)
    again = await lab.read(cursor=chunk.cursor)
    assert (again.text, again.cursor) == ("", chunk.cursor)
    lab.log.lines.append((stamp(1), "c with the same stamp\n"))
    lab.log.lines.append((stamp(0), "d of the other stream, which was slower\n"))
    later = await lab.read(cursor=chunk.cursor)
    assert later.text == "c with the same stamp\nd of the other stream, which was slower\n"
    assert not later.missed
    assert lab.log.asked[-1]["sinceTime"] == "2026-01-01T00:00:00Z"


async def test_an_empty_log_goes_on():
    lab = Lab()
    chunk = await lab.read()
    assert (chunk.text, chunk.ended) == ("", False)
    lab.log.lines.append((stamp(0), "a\n"))
    assert (await lab.read(cursor=chunk.cursor)).text == "a\n"


async def test_a_line_that_goes_on_is_continued():
    lab = Lab("50 %\r")
    chunk = await lab.read()
    lab.log.lines[-1] = (stamp(0), "50 %\r100 %\n")
    assert (chunk.text, (await lab.read(cursor=chunk.cursor)).text) == ("50 %\r", "100 %\n")


async def test_the_last_lines_and_what_precedes_them():
    lab = Lab(*(f"line {n}\n" for n in range(50)))
    chunk = await lab.read(tail=2)
    assert chunk.text == "line 48\nline 49\n"
    assert int(lab.log.asked[-1]["tailLines"]) < 50
    before = await lab.read(before=chunk.earlier, limit=16)
    assert before.text == "line 46\nline 47\n"
    lab.log.lines.append((stamp(49), "new\n"))
    assert (await lab.read(cursor=chunk.cursor)).text == "new\n"


async def test_lines_with_the_stamp_of_the_tail_are_counted():
    lab = Lab(*(f"{n}\n" for n in range(90)), stamps=lambda n: stamp(n // 60))
    chunk = await lab.read(tail=3)
    lab.log.lines.append((stamp(1), "new\n"))
    assert (chunk.text, (await lab.read(cursor=chunk.cursor)).text) == ("87\n88\n89\n", "new\n")


async def test_a_rotated_log_says_that_lines_may_be_missing():
    lab = Lab("a\n", "b\n", "c\n", "d\n")
    chunk = await lab.read(limit=4)
    assert chunk.text == "a\nb\n"
    del lab.log.lines[:3]
    chunk = await lab.read(cursor=chunk.cursor)
    assert (chunk.text, chunk.missed) == ("d\n", True)
    assert not (await lab.read(cursor=chunk.cursor)).missed


async def test_a_restarted_container_continues_the_log_of_its_previous_run():
    lab = Lab("first\n")
    chunk = await lab.read()
    lab.log.previous = [*lab.log.lines, (stamp(1), "crash\n")]
    lab.log.lines = [(stamp(20), "second\n")]
    lab.becomes(RUNNING, 1, last=ENDED)
    assert await lab.rest() == "first\ncrash\nsecond\n"
    assert await lab.rest(chunk.cursor) == "crash\nsecond\n"
    tail = await lab.read(tail=1)
    assert (tail.text, (await lab.read(before=tail.earlier)).text) == (
        "second\n",
        "first\ncrash\n",
    )
    lab.becomes(RUNNING, 2, last=ENDED)
    lab.log.previous, lab.log.lines = lab.log.lines, [(stamp(30), "third\n")]
    gone = await lab.read(cursor=chunk.cursor)
    assert (gone.text, gone.missed) == ("second\n", True)


async def test_a_crash_loop_shows_the_last_run_while_it_waits():
    lab = Lab("crash\n")
    lab.becomes(BACKOFF, 3, last=ENDED)
    assert await lab.rest() == "crash\n"
    lab.becomes(ContainerState(waiting=Waiting(reason="ContainerCreating")))
    assert (await lab.read()).text == ""


async def test_an_ended_session_keeps_its_last_lines_without_a_pod():
    at = datetime(2026, 1, 1, tzinfo=UTC)
    ended = structs.replace(
        SESSION, state="failed", exit=Exit(code=1, at=at, last_lines=("one", "two"))
    )
    lab = Lab("one\n", "two\n", session=ended)
    chunk = await lab.read()
    assert (chunk.text, chunk.ended) == ("one\ntwo\n", True)
    lab.pod = None
    kept = await lab.read()
    assert (kept.text, kept.ended) == ("one\ntwo\n", True)
    assert (await lab.read(tail=1)).text == "two\n"
    for cursor in (kept.cursor, chunk.cursor):
        again = await lab.read(cursor=cursor)
        assert (again.text, again.ended) == ("", True)


async def test_the_end_of_a_log_is_kept_when_the_pod_goes():
    lab = Lab("one\n", "two\n")
    secret = {"metadata": {"name": object_name(SESSION), "labels": {LABEL: SESSION.id}}}
    await lab.api.create(SECRETS, SESSION.spec.project, secret)
    await lab.logs.keep(SESSION)
    lab.pod, lab.session = None, structs.replace(SESSION, state="stopped")
    kept = await lab.read()
    assert (kept.text, kept.missed, kept.ended) == ("one\ntwo\n", False, True)
    assert (await lab.read(tail=1)).text == "two\n"
    assert (await lab.read(cursor=kept.cursor)).text == ""
    lab.session = structs.replace(lab.session, state="waiting")
    assert (await lab.read()).text == ""
    lab.session = structs.replace(lab.session, state="stopped", run=SESSION.run + 1)
    assert (await lab.read()).text == ""  # the log of an earlier run is none of this one


async def test_of_a_long_log_the_end_is_kept_and_a_damaged_one_is_none():
    lab = Lab(*(f"{number:063}\n" for number in range(1500)))
    secret = {"metadata": {"name": object_name(SESSION), "labels": {LABEL: SESSION.id}}}
    await lab.api.create(SECRETS, SESSION.spec.project, secret)
    await lab.logs.keep(SESSION)
    lab.pod, lab.session = None, structs.replace(SESSION, state="stopped")
    end = await lab.read()
    assert (len(end.text), end.missed) == (BYTES, True)
    assert end.text.endswith(f"{1499:063}\n")
    for damaged in ("x", "AAAA", ""):
        body = {"data": {"log": damaged}}
        await lab.api.patch(SECRETS, SESSION.spec.project, object_name(SESSION), body)
        assert (await lab.read()).text == ""


async def test_a_log_that_cannot_be_kept_keeps_no_session_from_ending():
    lab = Lab("one\n")
    await lab.logs.keep(SESSION)  # its Secret is gone
    lab.api.fail(Fault(403, "Forbidden", "no"), verb="read")
    await lab.logs.keep(SESSION)


async def test_the_log_of_a_queued_session_is_empty():
    lab = Lab()
    lab.pod = None
    chunk = await lab.read()
    assert (chunk.text, chunk.ended) == ("", False)


@pytest.mark.parametrize("field", ["cursor", "before"])
@pytest.mark.parametrize("bad", ["no cursor of ours", "x.1~2026~1~1", "../secrets.1", "a.1~"])
async def test_a_cursor_that_cannot_be_read_is_refused_by_name(field, bad):
    with pytest.raises(InvalidFields) as caught:
        await Lab().read(**{field: bad})
    assert caught.value.fields[0].field == field


async def test_who_may_not_read_logs_is_told():
    lab = Lab("a\n")
    lab.api.fail(Fault(403, "Forbidden", "no"), verb="read")
    with pytest.raises(NotAllowed, match="refuses"):
        await lab.read()
    lab.api.heal()
    lab.api.fail(Fault(404, "NotFound", "pod gone"), verb="read")
    assert (await lab.read()).text == ""
    with pytest.raises(NotFound):
        await lab.logs.read("nobody", LogQuery())


def test_a_cursor_is_its_position():
    place = Position("abc.0", "2026-01-01T00:00:00.5+01:00", 2, 17)
    assert read_cursor("cursor", str(place)) == place
    assert place.second == "2026-01-01T00:00:00+01:00"
    assert read_cursor("cursor", "abc.0") == Position("abc.0")


TEXTS = st.lists(
    st.text("aé\N{SNOWMAN}\r", max_size=12).map(lambda text: text + "\n"), min_size=1, max_size=30
)


@given(TEXTS, st.integers(4, 40), st.integers(1, 7))
def test_chunks_of_any_size_are_the_log(texts, limit, same):
    """Forwards, backwards, and from the last lines on; whatever lines have the same stamp."""
    raw = "".join(f"{stamp(at // same)} {text}" for at, text in enumerate(texts)).encode()
    lines, log, place = parse(raw), "".join(texts).encode(), Position("s.0")
    forwards = []
    while part := chunks.after(lines, place, limit, whole=True, ended=True):
        if not part.text:
            break
        assert len(part.text) <= limit
        forwards.append(part.text)
        place = part.end
    assert b"".join(forwards) == log
    tail = chunks.tail(lines, "s.0", 3, limit)
    assert log.endswith(tail.text)
    backwards, begin, first = [tail.text], tail.begin, tail.first
    while not first:
        part = chunks.before(lines, begin, limit)
        backwards.append(part.text)
        begin, first = part.begin, part.first
    assert b"".join(reversed(backwards)) == log
    for text in (*forwards, *backwards):
        text.decode()
