"""Caches follow the server through all that can happen to a watch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import methodcaller
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import MANAGED_BY, SESSION
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, NODES, PODS, SECRETS, STATEFUL_SETS
from jupyter_gpuquota.kubernetes.watching.cache import Cache, Key
from jupyter_gpuquota.kubernetes.watching.reflector import ASK_AGAIN, LONGEST, Clock, delay
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_controls import Call
from tests.kubernetes.manifests import secret, stateful_set
from tests.waiting import patience, wait_for

START = datetime(2026, 1, 1, tzinfo=UTC)


until = partial(wait_for, pause=0)  # the time of these tests passes by itself


class TestTime:
    """Time that passes only in sleeps."""

    __test__ = False

    def __init__(self) -> None:
        self.time = START
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    def clock(self) -> Clock:
        return Clock(lambda: self.time, self.sleep)


@asynccontextmanager
async def watching(api: FakeApi, watches: Watches) -> AsyncIterator[Watches]:
    await watches.start()
    try:
        async with asyncio.timeout(patience()):
            await watches.ready()
        yield watches
    finally:
        await watches.close()


def versions(cache: Cache) -> dict[Key, str]:
    return {item.key: item.metadata.resource_version for item in cache.values()}


def truth(api: FakeApi, labels: str = "") -> dict[Key, str]:
    metas = [raw["metadata"] for raw in api.all(SECRETS, "", labels)]
    return {(meta["namespace"], meta["name"]): meta["resourceVersion"] for meta in metas}


@pytest.mark.asyncio
async def test_one_watch_serves_all_readers():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    assert watches.cache(SECRETS) is cache
    changes: list[frozenset[Key]] = []
    end = cache.subscribe(changes.append)
    await api.create(SECRETS, "team-a", secret("a"))
    async with watching(api, watches):
        assert changes[0] == {("team-a", "a")}
        await api.create(SECRETS, "team-b", secret("b"))
        await until(lambda: cache.get("team-b", "b") is not None)
        await api.delete(SECRETS, "team-a", "a")
        await until(lambda: cache.get("team-a", "a") is None)
        assert [call.verb for call in api.calls].count("watch") == 1
        end()
        count = len(changes)
        await api.delete(SECRETS, "team-b", "b")
        await until(lambda: not cache.values())
        assert len(changes) == count


@pytest.mark.asyncio
async def test_objects_are_found_by_owner_and_label():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    async with watching(api, watches):
        owner = await api.create(STATEFUL_SETS, "team-a", stateful_set("a"))
        body = secret("x", labels={SESSION: "s-1"}, owner=owner.metadata)
        made = await api.create(SECRETS, "team-a", body)
        await until(lambda: cache.get("team-a", "x") is not None)
        assert cache.owned_by(owner.metadata.uid) == [made]
        assert cache.labelled(SESSION, "s-1") == [made]
        assert cache.values("team-b") == []
        with pytest.raises(KeyError):
            cache.labelled(MANAGED_BY, "x")
        other = {"metadata": {"labels": {SESSION: "s-2"}}}
        changed = await api.patch(SECRETS, "team-a", "x", other)
        await until(lambda: cache.get("team-a", "x") == changed)
        assert cache.labelled(SESSION, "s-1") == []
        assert cache.labelled(SESSION, "s-2") == [changed]
        await api.delete(STATEFUL_SETS, "team-a", "a")
        await until(lambda: not cache.values())
        assert cache.owned_by(owner.metadata.uid) == []


@pytest.mark.asyncio
async def test_a_lost_server_leaves_the_last_state_with_its_age_and_comes_back():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    await api.create(SECRETS, "team-a", secret("a"))
    async with watching(api, watches):
        assert watches.since is None
        api.stop()
        await until(lambda: len(time.slept) > 3)
        assert watches.since == START
        assert watches.fault is not None
        assert watches.fault.message == "connection refused"
        assert list(versions(cache)) == [("team-a", "a")]
        api.start()
        await until(lambda: watches.since is None)
        assert watches.fault is None
        again = [call for call in api.calls if call.verb == "watch"][1:]
        assert len(again) == len(time.slept)


@pytest.mark.asyncio
async def test_a_server_that_starts_is_not_believed_when_it_refuses_everything():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    await api.create(SECRETS, "team-a", secret("a"))
    async with watching(api, watches):
        api.stop()
        await until(lambda: watches.since is not None)
        api.fail(Fault(403, "Forbidden", "no role found"), "watch", "secrets", times=3)
        api.start()
        seen = []
        cache.subscribe(lambda _: seen.append(len(versions(cache))))
        await until(lambda: watches.since is None)
        assert 0 not in seen
        assert list(versions(cache)) == [("team-a", "a")]
        assert max(time.slept) < ASK_AGAIN / 2


@pytest.mark.asyncio
async def test_nor_is_it_where_namespaces_were_watched_one_by_one_before():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    for where in ("team-a", "team-b"):
        api.controls.store.create(SECRETS, where, secret("a"))
    api.controls.allowed = in_namespaces("team-a")
    async with watching(api, watches):
        await until(lambda: len(versions(cache)) == 1)
        api.controls.allowed = lambda call: True
        await until(lambda: len(versions(cache)) == 2)
        api.stop()
        await until(lambda: watches.since is not None)
        api.fail(Fault(403, "Forbidden", "no role found"), "watch", "secrets", times=4)
        api.start()
        await until(lambda: watches.since is None)
        assert len(versions(cache)) == 2
        assert set(watched(api)[-3:]) == {("secrets", "")}


@pytest.mark.asyncio
async def test_an_expired_version_is_read_anew_and_deletions_are_noticed():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    for name in ("a", "b"):
        await api.create(SECRETS, "team-a", secret(name))
    async with watching(api, watches):
        api.stop()
        await until(lambda: watches.since is not None)
        api.controls.store.delete(SECRETS, "team-a", "a")
        api.controls.store.create(SECRETS, "team-a", secret("c"))
        api.compact()
        seen: list[set[Key]] = []
        cache.subscribe(lambda keys: seen.append(set(versions(cache))))
        api.start()
        await until(lambda: versions(cache) == truth(api))
        assert set() not in seen  # the old objects stay until the new ones are complete
        assert set(versions(cache)) == {("team-a", "b"), ("team-a", "c")}


@pytest.mark.asyncio
async def test_a_watch_goes_on_where_the_last_one_ended():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    async with watching(api, watches):
        changes: list[frozenset[Key]] = []
        cache.subscribe(changes.append)
        for name in ("a", "b", "c"):
            await api.create(SECRETS, "team-a", secret(name))
            await until(lambda name=name: cache.get("team-a", name) is not None)
            api.bookmark()
            api.end_watches()
        await until(lambda: [call.verb for call in api.calls].count("watch") == 4)
        assert changes == [{("team-a", name)} for name in ("a", "b", "c")]


@pytest.mark.asyncio
async def test_after_silence_all_is_read_anew():
    """As a restored server may be behind our version, which it would wait for, in silence."""
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    async with watching(api, watches):
        api.controls.store.version += 1_000
        api.end_watches()
        await until(lambda: [call.verb for call in api.calls].count("watch") == 2)
        api.controls.store.version = 1
        api.controls.store.history.clear()
        await api.create(SECRETS, "team-a", secret("a"))
        assert cache.values() == []
        api.fail(Fault(0, "Timeout", "nothing came"), "watch")
        api.end_watches()
        await until(lambda: bool(cache.values()))


@pytest.mark.asyncio
async def test_where_all_namespaces_are_forbidden_they_are_watched_one_by_one():
    api, time = FakeApi(), TestTime()
    api.controls.allowed = lambda call: (
        call.resource == "namespaces" or call.namespace in ("team-a", "team-c")
    )
    watches = Watches(api, clock=time.clock())
    cache, nodes = watches.cache(SECRETS), watches.cache(NODES)
    store = api.controls.store
    for name in ("team-a", "team-b"):
        store.create(SECRETS, name, secret("a"))
    async with watching(api, watches):
        await until(lambda: list(versions(cache)) == [("team-a", "a")])
        assert watches.forbidden(NODES)
        assert not watches.forbidden(SECRETS)
        assert nodes.values() == []
        api.put(*_namespace("team-c"))
        store.create(SECRETS, "team-c", secret("c"))
        api.wake()
        await until(lambda: ("team-c", "c") in versions(cache))
        api.controls.allowed = lambda call: call.resource == "namespaces"
        api.end_watches()
        await until(lambda: versions(cache) == {})


@pytest.mark.asyncio
@pytest.mark.parametrize(("named", "expected"), [("team-a", "team-a"), ("", "default")])
async def test_who_may_list_no_namespaces_sees_that_of_the_credentials(named: str, expected: str):
    api, time = FakeApi(("team-a", "default")), TestTime()
    api.namespace = named
    api.controls.allowed = lambda call: call.namespace == expected
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    for name in ("team-a", "default"):
        api.controls.store.create(SECRETS, name, secret("a"))
    async with watching(api, watches):
        assert list(versions(cache)) == [(expected, "a")]


@pytest.mark.asyncio
async def test_rights_that_are_withdrawn_and_granted_are_followed():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    for where in ("team-a", "team-b"):
        api.controls.store.create(SECRETS, where, secret("a"))

    async with watching(api, watches):
        assert set(versions(cache)) == {("team-a", "a"), ("team-b", "a")}
        history: list[set[Key]] = []
        cache.subscribe(lambda _: history.append(set(versions(cache))))
        for _ in range(3):
            api.controls.allowed = in_namespaces("team-a")
            api.end_watches()
            await until(lambda: set(versions(cache)) == {("team-a", "a")})
            assert watches.forbidden(SECRETS, namespace="team-b")
            assert not watches.forbidden(SECRETS, namespace="team-a")
            assert watches.since is None

            api.controls.allowed = lambda call: True
            await until(lambda: len(versions(cache)) == 2)
            begun = len(watched(api))
            api.end_watches()
            await until(lambda begun=begun: len(watched(api)) > begun)
            assert watched(api)[begun:] == [("secrets", "")]
        # What may be seen all the time is never missed for a moment, which would be its end.
        assert all(("team-a", "a") in seen for seen in history)


@pytest.mark.asyncio
async def test_a_kind_that_the_cluster_does_not_know_is_asked_for_once_for_all_namespaces():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    watches.cache(SECRETS)
    api.fail(Fault(404, "NotFound", "404 page not found"), resource="secrets", times=None)
    async with watching(api, watches):
        await until(lambda: len(time.slept) > 3)
        assert watches.forbidden(SECRETS)
        assert set(watched(api)) == {("secrets", "")}


@pytest.mark.asyncio
async def test_credentials_that_are_not_accepted_leave_the_last_state_with_its_age():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    await api.create(SECRETS, "team-a", secret("a"))
    async with watching(api, watches):
        api.fail(Fault(401, "Unauthorized", "Unauthorized"), times=None)
        api.end_watches()
        await until(lambda: len(time.slept) > 3)
        assert watches.since == START
        assert watches.fault is not None
        assert watches.fault.status == 401
        assert not watches.forbidden(SECRETS)
        assert list(versions(cache)) == [("team-a", "a")]
        api.heal()
        await until(lambda: watches.since is None)


def in_namespaces(*names: str):
    """Return rights to list namespaces, and to read all in some of them."""
    return lambda call: call.resource == "namespaces" or call.namespace in names


def watched(api: FakeApi) -> list[tuple[str, str]]:
    """Return kind and namespace of all watches so far, besides that of namespaces."""
    found = [(call.resource, call.namespace) for call in api.calls if call.verb == "watch"]
    return [each for each in found if each[0] != "namespaces"]


def _namespace(name: str):
    return NAMESPACES, {"metadata": {"name": name}}


@pytest.mark.asyncio
async def test_configured_namespaces_are_the_only_ones_asked_for():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, ["team-a"], clock=time.clock())
    watches.cache(PODS)
    async with watching(api, watches):
        asked = {call.namespace for call in api.calls if call.resource == "pods"}
        assert asked == {"team-a"}


@pytest.mark.asyncio
async def test_a_reader_that_fails_disturbs_nobody(caplog: pytest.LogCaptureFixture):
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    cache = watches.cache(SECRETS)
    cache.subscribe(lambda keys: 1 / 0 and None)
    async with watching(api, watches):
        await api.create(SECRETS, "team-a", secret("a"))
        await until(lambda: bool(cache.values()))
        assert watches.fault is None
    assert "A subscriber failed" in caplog.text


@pytest.mark.asyncio
async def test_a_busy_server_is_given_the_time_that_it_asks_for():
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    watches.cache(SECRETS)
    api.fail(Fault(429, "TooManyRequests", "busy", 17.0), "watch")
    async with watching(api, watches):
        assert time.slept == [17.0]


def test_delays_grow_to_a_limit_and_differ():
    longest = [delay(failures, 0, 1) for failures in range(1, 9)]
    assert longest == sorted(longest)
    assert longest[-1] == LONGEST
    assert all(delay(failures, 0, 0) == longest[failures - 1] / 2 for failures in range(1, 9))


NAMES = st.sampled_from(["a", "b", "c"])
SPACES = st.sampled_from(["team-a", "team-b"])
Step = tuple[Any, ...]
STEPS = st.one_of(
    st.tuples(st.just("create"), SPACES, NAMES),
    st.tuples(st.just("change"), SPACES, NAMES),
    st.tuples(st.just("delete"), SPACES, NAMES),
    st.sampled_from(
        [
            ("stop",),
            ("start",),
            ("end",),
            ("compact",),
            ("expire",),
            ("bookmark",),
            ("fail",),
            ("turn",),
            ("answer",),
        ]
    ),
    st.tuples(st.just("allow"), st.lists(st.sampled_from(["", "team-a", "team-b"]), unique=True)),
)


Answer = Callable[[Cache], None]
"""Tells a cache the answer to a write, which may come at any time after it."""


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(STEPS, min_size=20, max_size=80))
def test_any_history_of_server_and_connection_ends_in_the_same_objects(steps):
    asyncio.run(_history(steps))


async def _history(steps: list[Step]) -> None:
    api, time = FakeApi(), TestTime()
    watches = Watches(api, clock=time.clock())
    everything = watches.cache(SECRETS)
    selected = watches.cache(SECRETS, "x=1")
    for where in ("team-a", "team-b"):
        for name in ("a", "b", "c"):
            api.controls.store.create(SECRETS, where, secret(name))
    await watches.start()
    answers: list[Answer] = []
    for number, step in enumerate(steps):
        if step != ("answer",):
            answers += _take(api, step, number)
        elif answers:
            answers.pop(number % len(answers))(everything)
        for _ in range(number % 4):
            await asyncio.sleep(0)
    api.heal()
    api.start()
    api.wake()
    for _ in range(1_000):
        await asyncio.sleep(0)
    for answer in answers:
        answer(everything)
    assert versions(everything) == _readable(api)
    assert versions(selected) == _readable(api, "x=1")
    for secret_ in everything.values():
        assert secret_ == everything.get(*secret_.key)
    await watches.close()


def _readable(api: FakeApi, labels: str = "") -> dict[Key, str]:
    """Return the versions of what may be read."""
    rights = api.controls.allowed
    return {
        key: version
        for key, version in truth(api, labels).items()
        if any(rights(Call("watch", "secrets", where)) for where in ("", key[0]))
    }


def _take(api: FakeApi, step: Step, number: int) -> list[Answer]:
    store, answers = api.controls.store, []
    kind, *where = step
    with suppress(Fault):  # the object does not exist, or the name is taken
        match kind:
            case "create":
                body = secret(where[1], labels={"x": str(number % 2)})
                answers = [_answered(store.create(SECRETS, where[0], body))]
            case "change":
                labels = {"x": str(number % 2), "n": str(number)}
                body = {"metadata": {"labels": labels}}
                answers = [_answered(store.patch(SECRETS, where[0], where[1], body))]
            case "delete":
                before = msgspec.convert(store.get(SECRETS, where[0], where[1]), SECRETS.record)
                store.delete(SECRETS, where[0], where[1])
                answers = [methodcaller("gone", before)]
            case "allow":
                api.controls.allowed = (
                    in_namespaces(*where[0]) if "" not in where[0] else lambda _: True
                )
            case "fail":
                api.fail(Fault(500, "InternalError", "oops"), "watch")
            case _:
                {
                    "stop": api.stop,
                    "start": api.start,
                    "end": api.end_watches,
                    "compact": api.compact,
                    "expire": api.expire,
                    "bookmark": api.bookmark,
                    "turn": lambda: None,
                }[kind]()
    api.wake()
    return answers


def _answered(raw: dict[str, Any]) -> Answer:
    return methodcaller("answered", msgspec.convert(raw, SECRETS.record))
