"""Only what a person causes keeps a session alive, and the controller hears of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_server.services.kernels.connection.base import (
    serialize_binary_message,
    serialize_msg_to_ws_v1,
)
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from jupyter_gpuquota.model.routes.table import ROUTES
from jupyter_gpuquota.server.ingress.protocol.message_sniffer import MessageSniffer
from jupyter_gpuquota.server.ingress.user_activity import (
    activity_filter,
    is_user_activity,
    message_type,
    saved_file,
)
from tests.builders import filled
from tests.server.ingress.conftest import PORT, Site
from tests.waiting import patience

CHANNELS = "/api/kernels/k1/channels"
MASK = b"\x01\x7f\xf0\x5a"


def message(kind: str, content: Any = None) -> dict[str, Any]:
    """Make a message with its members in the order in which JupyterLab writes them."""
    header = {"date": "2026-01-02", "msg_id": "1", "msg_type": kind, "session": "s"}
    return {
        "buffers": [],
        "channel": "shell",
        "content": content or {},
        "header": header,
        "metadata": {},
        "parent_header": {},
    }


def version_1(kind: str, content: Any = None) -> bytes:
    found = message(kind, content)
    found["channel"] = "shell"
    return serialize_msg_to_ws_v1(found, "shell", lambda part: json.dumps(part).encode())


def masked(payload: bytes, *, first: int = 0x81) -> bytes:
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xff" + size.to_bytes(8, "big")
    body = bytes(byte ^ MASK[i % 4] for i, byte in enumerate(payload))
    return bytes([first]) + length + MASK + body


@given(
    st.lists(st.tuples(st.binary(max_size=400), st.integers(0, 400)), max_size=5),
    st.lists(st.integers(1, 50), min_size=1),
    st.integers(0, 64),
)
def test_beginnings_are_unmasked_however_frames_and_reads_are_cut(sent, sizes, keep):
    stream = b""
    for payload, cut in sent:  # each in two frames, with a ping between them
        stream += masked(payload[:cut], first=0x02) + masked(b"ping", first=0x89)
        stream += masked(payload[cut:], first=0x80)
    frames, found, at, turn = MessageSniffer(keep), [], 0, 0
    while at < len(stream):
        size = sizes[turn % len(sizes)]
        found += frames.messages(stream[at : at + size])
        at, turn = at + size, turn + 1
    assert found == [payload[:keep] for payload, _ in sent]


def test_a_compressed_message_cannot_be_read_and_counts():
    assert MessageSniffer(100).messages(masked(b"xyz", first=0xC1) + masked(b"abc")) == [
        None,
        b"abc",
    ]
    assert all(activity_filter(path, 0)[1](None) for path in (CHANNELS, "/terminals/websocket/1"))


@given(st.sampled_from(["execute_request", "comm_msg", "ünsinn"]), st.text(max_size=300))
def test_the_type_is_read_in_every_form(kind, code):
    content = {"code": code, "allow_stdin": True}
    assert message_type(version_1(kind, content)) == kind
    assert message_type(json.dumps(message(kind, content)).encode()) == kind
    binary = serialize_binary_message({**message(kind, content), "buffers": [b"x" * 50]})
    assert message_type(binary) == kind


@given(st.binary(max_size=200))
def test_nothing_that_a_page_sends_breaks_reading(begin):
    assert isinstance(message_type(begin), str)
    assert isinstance(message_type(b"{" + begin), str)


@given(st.integers(0, 5000))
def test_what_is_cut_off_is_the_type_or_unknown(cut):
    for whole in (
        version_1("comm_msg", {"data": "x" * 6000}),
        json.dumps(message("comm_msg", {"data": ["x" * 3000]})).encode(),
    ):
        assert message_type(whole[:cut]) in ("", "comm_msg")
    assert message_type(version_1("comm_msg", {"data": "x" * 6000})[:4096]) == "comm_msg"


def test_deep_json_is_not_followed_for_ever():
    assert message_type(b'{"a":' + b"[" * 100_000) == ""


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("execute_request", True),
        ("complete_request", True),
        ("inspect_request", True),
        ("input_reply", True),
        ("is_complete_request", True),
        ("comm_msg", False),
        ("comm_open", False),
        ("comm_info_request", False),
        ("kernel_info_request", False),
        ("debug_request", False),
        ("history_request", False),
        ("", True),
    ],
)
def test_messages_to_a_kernel_count_by_their_type(kind, counts):
    keep, judge = activity_filter(CHANNELS, 0)
    assert judge(version_1(kind)[:keep]) is counts
    assert judge(json.dumps(message(kind)).encode()[:keep]) is counts


@pytest.mark.parametrize(
    ("path", "port", "begin", "counts"),
    [
        ("/terminals/websocket/1", 0, b'["stdin","ls\\r"]', True),
        ("/terminals/websocket/1", 0, b'["set_size",24,80,600,400]', False),
        ("/terminals/websocket/1", 0, b"what?", True),
        ("/api/events/subscribe", 0, b"{}", False),
        ("/api/collaboration/room/json:notebook:1", 0, b"\x01\x10", False),
        ("/api/collaboration/room/json:notebook:1", 0, b"\x00\x00", False),
        ("/api/collaboration/room/json:notebook:1", 0, b"\x00\x02", True),
        ("/proxy/8050/ws", 0, b"", True),
        ("/p/6006/api/kernels/k1/channels", PORT, b"", True),
    ],
)
def test_messages_of_other_sockets(path, port, begin, counts):
    assert activity_filter(path, port)[1](begin) is counts


@pytest.mark.parametrize(
    ("method", "path", "port", "counts"),
    [
        ("GET", "/api/contents/a.ipynb", 0, False),
        ("HEAD", "/", 0, False),
        ("OPTIONS", "/", 0, False),
        ("GET", "/p/6006/metrics", PORT, False),
        ("POST", "/p/6006/anything", PORT, True),
        ("POST", "/api/kernels", 0, True),
        ("POST", "/api/kernels/1/interrupt", 0, True),
        ("DELETE", "/api/sessions/1", 0, True),
        ("PATCH", "/api/sessions/1", 0, False),
        ("PATCH", "/api/contents/a.txt", 0, True),
        ("PUT", "/api/contents/a.txt", 0, True),
        ("POST", "/api/contents/sub/a.ipynb/checkpoints", 0, False),
        ("POST", "/api/contents/sub/a.ipynb/checkpoints/1", 0, True),
        ("PUT", "/lab/api/workspaces/default", 0, False),
        ("PUT", "/lab/api/settings/@jupyterlab/apputils-extension:themes", 0, False),
        ("POST", "/api/metrics/vitals", 0, False),
        ("POST", "/api/events", 0, False),
        ("POST", "/git/project/status", 0, False),
        ("POST", "/git/project/commit", 0, True),
        ("POST", "/gpuquota/api/sessions/preview", 0, False),
        ("POST", "/gpuquota/api/sessions/x/keep-alive", 0, True),
    ],
)
def test_requests_count_unless_a_page_makes_them_by_itself(method, path, port, counts):
    assert is_user_activity(method, path, port) is counts


def test_a_notebook_that_is_saved_is_named():
    assert saved_file("PUT", "/api/contents/my%20work/a%2525.ipynb", 0) == "my work/a%25.ipynb"
    assert not saved_file("GET", "/api/contents/a.ipynb", 0)
    assert not saved_file("PUT", "/api/contents/a.ipynb", PORT)
    assert saved_file("PUT", "/api/contents/a.txt", 0) == "a.txt"


async def heard(site: Site, count: int) -> list[str]:
    """Wait for a number of reports; return the saved notebooks in them."""
    async with asyncio.timeout(patience()):
        while len(site.backend.ingress.seen) < count:  # noqa: ASYNC110 (has no event)
            await asyncio.sleep(0.01)
    assert all(session == site.session.id for session, _ in site.backend.ingress.seen)
    return [seen.saved for _, seen in site.backend.ingress.seen]


async def test_the_controller_hears_of_a_person_soon_but_not_of_every_key(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}"}
    url = site.url("/terminals/websocket/1", scheme="ws")
    socket = await websocket_connect(HTTPRequest(url, headers=headers))
    for _ in range(200):
        await socket.write_message('["stdin","x"]')
        assert await socket.read_message() == '["stdin","x"]'
    assert set(await heard(site, 2)) == {""}
    await asyncio.sleep(0.3)
    assert len(site.backend.ingress.seen) < 20
    times = [seen.at for _, seen in site.backend.ingress.seen]
    assert times == sorted(times)
    assert site.token not in str(site.backend.ingress.seen)
    socket.close()


async def test_a_widget_a_ping_a_resize_and_a_poll_are_nobody(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}"}
    kernel = await websocket_connect(
        HTTPRequest(site.url(CHANNELS, scheme="ws"), headers=headers),
        subprotocols=["v1.kernel.websocket.jupyter.org"],
    )
    terminal = await websocket_connect(
        HTTPRequest(site.url("/terminals/websocket/1", scheme="ws"), headers=headers)
    )
    for kind in ("kernel_info_request", "comm_msg", "debug_request"):
        await kernel.write_message(version_1(kind, {"data": "x" * 100_000}), binary=True)
        assert await kernel.read_message()
    kernel.ping(b"still there?")
    await terminal.write_message('["set_size",24,80]')
    assert await terminal.read_message()
    await AsyncHTTPClient().fetch(site.url("/api/kernels"), headers=headers)
    await AsyncHTTPClient().fetch(
        site.url("/lab/api/workspaces/default"), headers=headers, method="PUT", body="{}"
    )
    await asyncio.sleep(0.2)
    assert site.backend.ingress.seen == []
    await kernel.write_message(version_1("execute_request", {"code": "1"}), binary=True)
    assert await heard(site, 1) == [""]
    kernel.close()
    terminal.close()


async def test_a_saved_file_is_named_once_it_is_saved(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}"}
    for size in (10, 2**20):  # the latter takes the way of large bodies
        site.backend.ingress.seen.clear()
        await AsyncHTTPClient().fetch(
            site.url("/api/contents/my%20work/a.ipynb"),
            headers=headers,
            method="PUT",
            body="x" * size,
        )
        assert await heard(site, 1) == ["my work/a.ipynb"]


async def test_what_is_posted_counts_and_a_controller_that_fails_is_told_later(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}"}
    board = site.backend.resident.board
    board.drop(site.session.id)
    site.context.presence.note(site.session.id)  # it answers: there is no such session
    await asyncio.sleep(0.15)
    board.show(site.session)
    await AsyncHTTPClient().fetch(
        site.url("/any", port=PORT), headers=headers, method="POST", body=""
    )
    assert await heard(site, 1) == [""]


async def poll(site: Site, paths: list[str]) -> None:
    headers = {"Authorization": f"token {site.token}"}
    for path in paths:
        await AsyncHTTPClient().fetch(site.url(path), headers=headers)


async def test_our_panel_in_a_session_keeps_it_alive_no_more_than_any_poll(site: Site) -> None:
    gets = [filled(row.path) for row in ROUTES if row.method == "GET"]
    await poll(site, [f"/gpuquota/api{path}" for path in gets])
    previews = [row for row in ROUTES if row.name.endswith("preview")]
    assert previews
    for row in previews:  # forms ask again by themselves whenever something has changed
        assert not is_user_activity(row.method, f"/gpuquota/api{row.path}", 0)
    assert not is_user_activity(
        "PUT", "/gpuquota/api/sessions/s1/pages/p1", 0
    )  # it says that it is open
    await asyncio.sleep(0.15)
    assert site.backend.ingress.seen == []


async def test_the_event_stream_keeps_nothing_alive(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}"}
    url = site.url("/api/events/subscribe", scheme="ws")
    socket = await websocket_connect(HTTPRequest(url, headers=headers))
    await socket.write_message("{}")
    assert await socket.read_message() == "{}"
    await asyncio.sleep(0.15)
    assert site.backend.ingress.seen == []
    socket.close()


async def test_scraping_metrics_keeps_nothing_alive(site: Site) -> None:
    await poll(site, ["/metrics", "/api/metrics/v1", "/api/status"])
    await asyncio.sleep(0.15)
    assert site.backend.ingress.seen == []
