"""Calls to an API server, with answers that a test decides about."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.kubernetes.api import Fault, Request
from jupyter_gpuquota.kubernetes.connection.caller import ATTEMPTS, LONGEST, Caller, pause
from jupyter_gpuquota.kubernetes.connection.decoding import INITIAL_EVENTS_END, decoded, lines
from jupyter_gpuquota.kubernetes.connection.http import Answer, Call
from jupyter_gpuquota.kubernetes.connection.rest import Rest
from jupyter_gpuquota.kubernetes.objects.cluster import ResourceQuota
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, SECRETS, STATEFUL_SETS
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from tests.kubernetes.manifests import secret
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@dataclass
class Scripted:
    """A transport that gives these answers in turn, and remembers the calls."""

    answers: list[Any]
    server: str = "https://10.0.0.1:6443"
    calls: list[Call] = field(default_factory=list)

    async def request(self, call: Call) -> Answer:
        return self._next(call)

    async def stream(self, call: Call) -> AsyncIterator[bytes]:
        pieces = self._next(call)
        yield b""
        for piece in pieces:
            yield piece

    async def websocket(self, call: Call, protocols: Any) -> Any:
        raise NotImplementedError

    async def close(self) -> None:
        self.calls.clear()

    def _next(self, call: Call) -> Any:
        self.calls.append(call)
        answer = self.answers.pop(0)
        if isinstance(answer, Fault):
            raise answer
        return answer


def rest(*answers: Any) -> tuple[Rest, Scripted, list[float]]:
    transport, slept = Scripted(list(answers)), []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    return Rest(Caller(transport, sleep=sleep)), transport, slept


def ok(body: dict[str, Any]) -> Answer:
    return Answer(200, json.dumps(body).encode())


def refusal(status: int, reason: str = "", **more: Any) -> Answer:
    body = {"kind": "Status", "code": status, "reason": reason, "message": "no", **more}
    return Answer(status, json.dumps(body).encode())


def page(*names: str, more: str = "") -> Answer:
    items = [{"metadata": {"name": name, "namespace": "team-a"}} for name in names]
    return ok({"metadata": {"resourceVersion": "7", "continue": more}, "items": items})


SECRET = ok({"metadata": {"name": "a", "namespace": "team-a", "resourceVersion": "1"}})


async def test_lists_come_in_pages():
    api, transport, _ = rest(page("a", "b", more="next"), page("c"))
    assert [item.metadata.name for item in await api.list(SECRETS, "team-a", "x=y")] == [*"abc"]
    first, second = (dict(call.query) for call in transport.calls)
    assert first == {"labelSelector": "x=y", "limit": "500"}
    assert second == {"labelSelector": "x=y", "limit": "500", "continue": "next"}


async def test_pages_that_expire_are_read_at_once():
    api, transport, _ = rest(page("a", more="next"), refusal(410, "Expired"), page("b", "c"))
    assert [item.metadata.name for item in await api.list(SECRETS)] == ["b", "c"]
    assert dict(transport.calls[-1].query) == {}


async def test_a_watch_lists_where_the_server_cannot_stream_lists():
    event = {"type": "DELETED", "object": {"metadata": {"name": "a", "resourceVersion": "8"}}}
    api, transport, _ = rest(
        Fault(422, "Invalid", "sendInitialEvents: Forbidden"),
        page("a"),
        [json.dumps(event).encode() + b"\n"],
    )
    found = [change async for change in api.watch(SECRETS)]
    assert [(change.type, change.version, change.initial) for change in found] == [
        ("ADDED", "", False),
        ("BOOKMARK", "7", True),
        ("BOOKMARK", "7", False),
        ("DELETED", "8", False),
    ]
    assert dict(transport.calls[0].query)["sendInitialEvents"] == "true"
    assert dict(transport.calls[2].query)["resourceVersion"] == "7"


async def test_a_watch_raises_what_the_server_reports_in_it():
    event = {"type": "ERROR", "object": {"code": 410, "reason": "Expired", "message": "too old"}}
    api, _, _ = rest([json.dumps(event).encode() + b"\n"])
    with pytest.raises(Fault) as caught:
        [change async for change in api.watch(SECRETS, version="1")]
    assert (caught.value.status, caught.value.request.verb) == (410, "watch")


async def test_writes_name_us_and_are_of_the_right_type():
    api, transport, _ = rest(SECRET, SECRET, SECRET, ok({}))
    await api.create(SECRETS, "team-a", secret("a"), dry_run=True)
    await api.patch(SECRETS, "team-a", "a", {"data": None}, subresource="status")
    await api.apply(SECRETS, "team-a", "a", {"data": {}})
    await api.delete(SECRETS, "team-a", "a", uid="u-1")
    assert [(call.method, call.path, call.content_type) for call in transport.calls] == [
        ("POST", "/api/v1/namespaces/team-a/secrets", "application/json"),
        ("PATCH", "/api/v1/namespaces/team-a/secrets/a/status", "application/merge-patch+json"),
        ("PATCH", "/api/v1/namespaces/team-a/secrets/a", "application/apply-patch+yaml"),
        ("DELETE", "/api/v1/namespaces/team-a/secrets/a", "application/json"),
    ]
    us = {"fieldManager": "jupyter-gpuquota"}
    queries = [dict(call.query) for call in transport.calls]
    assert queries == [{**us, "dryRun": "All"}, us, {**us, "force": "true"}, {}]
    bodies = [json.loads(call.body or b"null") for call in transport.calls]
    assert bodies[1] == {"data": None}
    assert bodies[2] == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "data": {},
    }
    assert bodies[3]["propagationPolicy"] == "Background"
    assert bodies[3]["preconditions"] == {"uid": "u-1"}


@pytest.mark.parametrize("name", ["", ".", ".."])
async def test_a_name_cannot_change_what_a_path_means(name: str):
    api, transport, _ = rest()
    for call in (
        api.get(SECRETS, "team-a", name),
        *([api.get(SECRETS, name, "a")] if name else []),
        api.delete(SECRETS, "team-a", name),
        api.patch(SECRETS, "team-a", name, {}),
        api.apply(SECRETS, "team-a", name, {}),
    ):
        with pytest.raises(Fault) as caught:
            await call
        assert caught.value.status == 400
    assert transport.calls == []


async def test_names_are_escaped_in_paths():
    api, transport, _ = rest(SECRET)
    await api.get(STATEFUL_SETS, "team-a/../x", "a?b/c")
    path = "/apis/apps/v1/namespaces/team-a%2F..%2Fx/statefulsets/a%3Fb%2Fc"
    assert transport.calls[0].path == path


async def test_impersonation_is_in_headers_and_keeps_the_connection():
    api, transport, _ = rest(SECRET, SECRET)
    alice = api.acting_as("hub:alice", ["hub:a", "hub:b"])
    await alice.get(SECRETS, "team-a", "a")
    assert transport.calls[0].headers == (
        ("Impersonate-User", "hub:alice"),
        ("Impersonate-Group", "hub:a"),
        ("Impersonate-Group", "hub:b"),
    )
    await alice.close()
    await api.get(SECRETS, "team-a", "a")
    assert transport.calls[1].headers == ()
    await api.close()
    assert transport.calls == []
    for bad in ("", "a\r\nAuthorization: x"):
        with pytest.raises(Fault):
            api.acting_as(bad)


@pytest.mark.parametrize(
    ("first", "read", "written"),
    [
        (Answer(429, b"{}", {"Retry-After": "3"}), True, True),
        (refusal(503, "ServiceUnavailable"), True, False),
        (refusal(500, "InternalError"), True, False),
        (Fault(0, "NoConnection", "reset"), True, False),
        (refusal(409, "Conflict"), False, False),
        (Answer(429, b"{}", {"Retry-After": "3600"}), False, False),
    ],
)
async def test_calls_are_repeated_where_that_is_safe(first: Any, *, read: bool, written: bool):
    for again, call in (
        (read, lambda api: api.get(SECRETS, "team-a", "a")),
        (written, lambda api: api.create(SECRETS, "team-a", secret("a"))),
    ):
        api, transport, slept = rest(first, SECRET)
        await _outcome(call(api), again=again)
        assert len(transport.calls) == 1 + again
        assert len(slept) == again
    if isinstance(first, Answer) and read and first.headers:
        assert slept[0] >= 3


async def _outcome(call: Any, *, again: bool) -> None:
    if again:
        assert (await call).metadata.name == "a"
    else:
        with pytest.raises(Fault):
            await call


async def test_a_server_that_stays_busy_is_given_up():
    api, transport, _ = rest(*[refusal(503)] * 9)
    with pytest.raises(Fault) as caught:
        await api.list(SECRETS)
    assert caught.value.status == 503
    assert len(transport.calls) == ATTEMPTS


@given(
    status=st.integers(0, 599),
    attempt=st.integers(1, 9),
    wait=st.floats(0, 60),
    reads=st.booleans(),
    chance=st.floats(0, 1),
)
async def test_a_pause_is_never_shorter_than_asked(
    *, status: int, attempt: int, wait: float, reads: bool, chance: float
):
    found = pause(Fault(status, "", "", wait), attempt, reads=reads, chance=chance)
    if found is not None:
        assert wait <= found <= 1.25 * LONGEST
        assert attempt < ATTEMPTS
        assert reads or status == 429


async def test_failures_that_are_not_of_the_api_server_are_faults_too():
    for body, message in (
        (b"<html>Bad gateway</html>", "status 502"),
        (b"upstream is down", "upstream is down"),
        (b"[1]", "[1]"),
    ):
        api, _, _ = rest(Answer(502, body))
        with pytest.raises(Fault) as caught:
            await api.create(SECRETS, "team-a", secret("a"))
        assert (caught.value.status, caught.value.message) == (502, message)


async def test_a_patch_of_another_object_is_a_conflict():
    causes = [{"field": "metadata.uid", "reason": "FieldValueInvalid", "message": "immutable"}] * 2
    api, _, _ = rest(refusal(422, "Invalid", details={"causes": causes}))
    with pytest.raises(Fault) as caught:
        await api.patch(SECRETS, "team-a", "a", {"metadata": {"uid": "u-2"}})
    assert (caught.value.status, caught.value.reason) == (409, "Conflict")
    assert len(caught.value.causes) == 1


async def test_null_counts_as_absent():
    body = b'{"metadata": {"name": "q", "labels": null}, "spec": {"hard": null}, "status": null}'
    found = decoded(ResourceQuota, body, Request())
    assert found.spec.hard == {}
    for unreadable in (b"<html>", b'{"metadata": 1}'):
        with pytest.raises(Fault):
            decoded(ResourceQuota, unreadable, Request())


@given(st.lists(st.binary(max_size=20)), st.integers(1, 7))
async def test_lines_are_whole_however_they_arrive(parts: list[bytes], size: int):
    expected = [part.replace(b"\n", b" ") for part in parts]
    data = b"".join(line + b"\n" for line in expected) + b"incomplete"

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(data), size):
            yield data[start : start + size]

    assert [line async for line in lines(pieces())] == expected


async def test_requests_say_what_they_are_about():
    api, _, _ = rest(refusal(403), refusal(403), refusal(403))
    calls: list[Callable[[], Any]] = [
        lambda: api.patch(STATEFUL_SETS, "team-a", "a", {}),
        lambda: api.get(NAMESPACES, "", "team-a"),
        lambda: api.ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", {}),
    ]
    found = []
    for call in calls:
        with pytest.raises(Fault) as caught:
            await call()
        found.append(caught.value.request)
    server = "https://10.0.0.1:6443"
    assert found == [
        Request("patch", "statefulsets.apps", "team-a", "a", server),
        Request("get", "namespaces", "", "team-a", server),
        Request("create", "/apis/authorization.k8s.io/v1/subjectaccessreviews", server=server),
    ]


ODD = [
    {"spec": {"replicas": "many"}},
    {"spec": []},
    {"status": {"readyReplicas": {}}},
    {"metadata": {"creationTimestamp": "0000-01-01T00:00:00Z"}},
    {"metadata": {"labels": {"a": 1}}},
]
"""What does not have the form of a StatefulSet."""


def stateful(name: str, version: str, **more: Any) -> dict[str, Any]:
    meta = {"name": name, "namespace": "team-a", "resourceVersion": version}
    return {**more, "metadata": {**meta, **more.get("metadata", {})}}


@pytest.mark.parametrize("odd", ODD, ids=str)
async def test_one_object_that_cannot_be_read_costs_no_others(odd: dict[str, Any], caplog: Any):
    events = [
        {"type": "ADDED", "object": stateful("bad", "8", **odd)},
        {"type": "MODIFIED", "object": stateful("good", "9")},
        {"type": "DELETED", "object": stateful("bad", "10", **odd)},
    ]
    api, _, _ = rest([b"".join(json.dumps(each).encode() + b"\n" for each in events)])
    found = [change async for change in api.watch(STATEFUL_SETS, version="7")][1:]
    assert [(change.type, change.key[1], change.version) for change in found] == [
        ("UNREADABLE", "bad", "8"),
        ("MODIFIED", "good", "9"),
        ("DELETED", "bad", "10"),
    ]
    assert "statefulsets.apps team-a/bad is left out" in caplog.text
    items = [stateful("bad", "8", **odd), stateful("good", "9")]
    api, _, _ = rest(ok({"metadata": {"resourceVersion": "9"}, "items": items}))
    assert [item.metadata.name for item in await api.list(STATEFUL_SETS)] == ["good"]


async def test_what_becomes_unreadable_stays_as_it_was_and_the_watch_goes_on():
    def said(*events: tuple[str, dict[str, Any]]) -> list[bytes]:
        return [json.dumps({"type": t, "object": o}).encode() + b"\n" for t, o in events]

    end = {"metadata": {"resourceVersion": "5", "annotations": {INITIAL_EVENTS_END: "true"}}}
    first = said(
        ("ADDED", stateful("one", "1", spec={"replicas": 1})),
        ("ADDED", stateful("two", "2", spec={"replicas": 1})),
        ("BOOKMARK", end),
        ("MODIFIED", stateful("one", "6", spec={"replicas": "many"})),
        ("MODIFIED", stateful("two", "7", spec={"replicas": 2})),
    )
    # The server has forgotten the version: all objects are read anew.
    again = said(
        ("ADDED", stateful("one", "6", spec={"replicas": "many"})),
        ("ADDED", stateful("two", "8", spec={"replicas": 3})),
        ("BOOKMARK", end),
    )
    api, transport, _ = rest(first, refusal_of_a_watch(410, "Expired"), again)
    watches = Watches(api)
    cache = watches.cache(STATEFUL_SETS)
    await watches.start()
    try:
        await wait_for(lambda: len(transport.answers) == 0 and cache.get("team-a", "two"))
        await wait_for(lambda: cache.get("team-a", "two").spec.replicas == 3)
        assert cache.get("team-a", "one").spec.replicas == 1
    finally:
        await watches.close()


def refusal_of_a_watch(status: int, reason: str) -> list[bytes]:
    body = {"kind": "Status", "code": status, "reason": reason, "message": "no"}
    return [json.dumps({"type": "ERROR", "object": body}).encode() + b"\n"]
