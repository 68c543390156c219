"""Changes of the backend become events that say nothing but which noun to read again."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import msgspec
import pytest
import yaml
from jupyter_events import EventLogger

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.model.about import Change, Revisions
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.server import events
from jupyter_gpuquota.server.events import SCHEMA, SCHEMA_ID, changes, watch
from tests.builders import make_spec
from tests.fakes import As, make_backend
from tests.waiting import patience


def revisions(instance: str = "a", **nouns: str) -> Revisions:
    return Revisions(instance=instance, latest="-".join(nouns.values()), nouns=nouns)


def test_a_change_names_each_noun_that_is_at_another_revision():
    found = changes(
        revisions(sessions="9", quota="2"), revisions(sessions="10", quota="2", nodes="1")
    )
    assert [(change.noun, change.revision) for change in found] == [
        ("sessions", "10"),
        ("nodes", "1"),
    ]


def test_another_instance_changes_everything():
    found = changes(
        revisions("a", sessions="3", quota="2"), revisions("b", sessions="3", quota="2")
    )
    assert {(change.noun, change.instance) for change in found} == {
        ("sessions", "b"),
        ("quota", "b"),
    }


def test_nothing_new_is_no_event():
    assert changes(revisions(sessions="3"), revisions(sessions="3")) == []


class Flaky:
    """A dispatcher that fails a number of times, then responds."""

    def __init__(self, backend: Backend, failures: int) -> None:
        self.inner = As(backend)
        self.failures = failures

    async def dispatch(self, asked: ApiRequest) -> ApiResponse:
        if self.failures:
            self.failures -= 1
            raise Unavailable("Nobody is there.")
        return await self.inner.dispatch(asked)


@asynccontextmanager
async def watching(dispatcher):
    heard: asyncio.Queue[Change] = asyncio.Queue()
    async with running(watch(dispatcher, heard.put_nowait, (0.01,))):
        yield heard


@asynccontextmanager
async def running(watcher):
    task = asyncio.ensure_future(watcher)
    try:
        yield
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def heard_of(heard: asyncio.Queue[Change], noun: str, revision: str) -> None:
    """Wait for an event with a noun's revision; `""` is any."""
    async with asyncio.timeout(patience()):
        while True:
            change = await heard.get()
            if change.noun == noun and revision in {"", change.revision}:
                return


@pytest.mark.asyncio
async def test_a_change_is_told():
    backend = make_backend()
    async with watching(As(backend)) as heard:
        await heard_of(heard, "sessions", "")
        await backend.sessions.create(make_spec("exp-1"), "me")
        await heard_of(heard, "sessions", backend.changes.revision("sessions"))
        await backend.sessions.create(make_spec("exp-2"), "me")
        await heard_of(heard, "quota", backend.changes.revision("quota"))


@pytest.mark.asyncio
async def test_it_goes_on_when_someone_answers_again():
    backend = make_backend()
    async with watching(Flaky(backend, failures=1)) as heard:
        await heard_of(heard, "sessions", backend.changes.revision("sessions"))


class Faulty:
    """Fail in the ways given, then answer."""

    def __init__(self, backend: Backend, *faults: ApiResponse | Exception) -> None:
        self.inner = As(backend)
        self.faults = list(faults)

    async def dispatch(self, asked: ApiRequest) -> ApiResponse:
        if not self.faults:
            return await self.inner.dispatch(asked)
        fault = self.faults.pop(0)
        if isinstance(fault, Exception):
            raise fault
        return fault


@pytest.mark.asyncio
async def test_no_fault_ends_it_and_each_kind_is_logged_once(caplog):
    backend = make_backend()
    garbage = ApiResponse(200, b"<html>")
    dispatcher = Faulty(backend, garbage, garbage, RuntimeError("a bug"))
    async with watching(dispatcher) as heard:
        await heard_of(heard, "sessions", backend.changes.revision("sessions"))
    assert dispatcher.faults == []
    logged = [r for r in caplog.records if r.name == events.log.name and r.levelname == "ERROR"]
    assert [r.exc_info[0] for r in logged] == [msgspec.DecodeError, RuntimeError]


@pytest.mark.asyncio
async def test_an_event_that_cannot_be_sent_is_sent_later(caplog):
    """The next series of failures is logged again."""
    backend = make_backend()
    faults = [ValueError("the schema does not fit")]
    sent: asyncio.Queue[Change] = asyncio.Queue()

    def emit(change: Change) -> None:
        if faults:
            raise faults.pop()
        sent.put_nowait(change)

    async with running(watch(As(backend), emit, (0.01,))):
        await heard_of(sent, "sessions", "")
        faults.append(ValueError("again"))
        await backend.sessions.create(make_spec("exp-1"), "me")
        await heard_of(sent, "sessions", backend.changes.revision("sessions"))
    assert [str(r.exc_info[1]) for r in caplog.records if r.levelname == "ERROR"] == [
        "the schema does not fit",
        "again",
    ]


def test_pauses_grow_to_a_bound_and_end_with_success():
    backoff = events.Backoff(events.PAUSES)
    delays = [backoff.delay]
    for _ in range(7):
        backoff.failed(Unavailable("Nobody is there."))
        delays.append(backoff.delay)
    backoff.succeeded()
    assert delays == [0.2, 1, 2, 5, 10, 30, 30, 30]
    assert backoff.delay == 0.2


@pytest.mark.asyncio
async def test_an_error_answer_counts_as_no_answer():
    class Refusing:
        async def dispatch(self, asked: ApiRequest) -> ApiResponse:
            return ApiResponse(403, b"{}")

    async with watching(Refusing()) as heard:
        await asyncio.sleep(0.1)
        assert heard.empty()


def test_the_schema_is_named_in_a_namespace_of_ours():
    """`events.jupyter.org` is for Jupyter's own events."""
    assert yaml.safe_load(SCHEMA.read_text())["$id"] == SCHEMA_ID
    assert urlsplit(SCHEMA_ID).hostname == "jupyter-gpuquota.github.io"


def test_the_schema_fits_the_event():
    """And an event carries nothing but its three fields."""
    heard = []

    async def listen(logger: EventLogger, schema_id: str, data: dict) -> None:
        heard.append((schema_id, data))

    async def emit() -> None:
        logger = EventLogger()
        logger.register_event_schema(SCHEMA)
        logger.add_listener(schema_id=SCHEMA_ID, listener=listen)
        change = Change(noun="sessions", revision="7", instance="x")
        logger.emit(schema_id=SCHEMA_ID, data=msgspec.to_builtins(change))
        await logger.gather_listeners()

    asyncio.run(emit())
    assert heard == [(SCHEMA_ID, {"noun": "sessions", "revision": "7", "instance": "x"})]
    assert set(Change.__struct_fields__) == {"noun", "revision", "instance"}
