"""What a kernel says while no page is there reaches the next one, once and in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError
from tornado.iostream import StreamClosedError

from jupyter_gpuquota.server.ingress.replay.kernel_channels import KernelChannels
from tests.server.ingress.conftest import Site
from tests.server.ingress.kernel_messages import execute, message, status, stream
from tests.server.ingress.kernel_upstream import FakeKernel, Page
from tests.waiting import patience, wait_for

MIB = 1024 * 1024
GOING_AWAY, NORMAL = 1001, 1000

Open = Callable[..., Awaitable[Page]]
Missed = Callable[..., Awaitable[Any]]


@pytest.fixture
def login(jp_fetch: Any, jp_asyncio_loop: Any) -> str:
    """Return the cookie of one browser."""
    answer = jp_asyncio_loop.run_until_complete(jp_fetch("api", "status"))
    return "; ".join(one.partition(";")[0] for one in answer.headers.get_list("Set-Cookie"))


@pytest.fixture
def open_page(site: Site, login: str) -> Iterator[Open]:
    """Connect pages to the kernel; none stays."""
    opened: list[Page] = []

    async def open_(client: str = "page-1", **options: Any) -> Page:
        url = site.url(f"/api/kernels/fake/channels?session_id={client}", scheme="ws")
        opened.append(await Page(url, site.token, login, **options).connect())
        return opened[-1]

    yield open_
    for page in opened:
        page.vanish()


@pytest.fixture
def kernel(site: Site) -> FakeKernel:
    found: FakeKernel = site.jupyter.settings["kernel"]
    return found


@pytest.fixture
def missed(site: Site, login: str, jp_fetch: Any) -> Missed:
    """Request what a client has missed."""

    async def ask(client: str, before: str = "", cookie: str = login) -> Any:
        path = ("gpuquota", "s", site.session.id, "gpuquota", "missed", "fake")
        options = {"method": "POST", "body": "", "headers": {"Cookie": cookie}}
        answer = await jp_fetch(*path, params={"client": client, "before": before}, **options)
        return json.loads(answer.body)

    return ask


def texts(found: Any) -> list[str]:
    return [
        one["content"]["text"] for one in found["messages"] if one["header"]["msg_type"] == "stream"
    ]


async def run_cell(page: Page, kernel: FakeKernel) -> None:
    """Start a cell that has already printed something."""
    await page.send(execute("r1", "page-1"))
    await kernel.heard.get()
    await kernel.say(status("busy", "r1"), stream("1", "r1"))
    for _ in range(2):
        await page.receive()


async def lose_page(site: Site, kernel: FakeKernel, page: Page) -> None:
    """Disconnect a page while its cell runs."""
    await run_cell(page, kernel)
    page.vanish()
    await wait_for(lost_line(site))


def lost_line(site: Site) -> Callable[[], bool]:
    return lambda: [channel.is_free for channel in site.context.kernels._channels] == [True]


async def test_a_page_that_connects_again_gets_what_it_missed_once(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    await lose_page(site, kernel, await open_page())
    reply = message("execute_reply", {"status": "ok"}, channel="shell", parent="r1", number="e")
    await kernel.say(stream("2", "r1"), reply, status("idle", "r1"))
    again = await open_page()
    await kernel.say(stream("live", ""))
    received = [await again.receive()]
    while received[-1] != stream("live", ""):
        received.append(await again.receive())
    # What it had without having confirmed it comes again: it knows messages by their ids.
    assert received[-4:-1] == [stream("2", "r1"), reply, status("idle", "r1")]
    assert kernel.clients == ["page-1"], "it is the same connection to the kernel"
    await again.send(execute("r2", "page-1"))
    assert await kernel.heard.get() == execute("r2", "page-1")


async def test_what_a_page_has_confirmed_is_not_sent_again(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    reading = asyncio.ensure_future(page.read_on())
    (channel,) = site.context.kernels._channels
    await wait_for(lambda: channel.backlog.confirmed == channel.backlog.newest)
    reading.cancel()
    page.vanish()
    await wait_for(lost_line(site))
    await kernel.say(stream("2", "r1"))
    again = await open_page()
    assert await again.receive() == stream("2", "r1")


async def test_a_page_whose_network_is_dead_is_replaced_by_itself(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    page.awake = False  # it hears nothing any more, and cannot say so
    await kernel.say(stream("2", "r1"))
    again = await open_page()
    received = [await again.receive() for _ in range(3)]
    assert received == [status("busy", "r1"), stream("1", "r1"), stream("2", "r1")]
    with pytest.raises(StreamClosedError):
        await page.read_on()
    assert len(site.context.kernels) == 1


async def test_a_reloaded_page_gets_the_output_of_the_cell(
    site: Site, kernel: FakeKernel, open_page: Open, missed: Missed
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    await page.leave(GOING_AWAY)
    assert page.closed_with == GOING_AWAY.to_bytes(2, "big")
    await kernel.say(stream("2", "r1"))
    await wait_for(lambda: len(site.context.kernels) == 1)
    await open_page("page-2")
    await kernel.say(stream("3", "r1"))
    (channel,) = site.context.kernels._channels
    await wait_for(lambda: channel.backlog.newest == 4)
    found = await missed("page-2")
    assert found["requests"] == [{"id": "r1", "cell": "cell-1", "finished": False, "dropped": None}]
    assert texts(found) == ["1", "2", "3"]
    assert kernel.clients == ["page-1"]


async def test_the_end_of_a_cell_without_pages_is_sent_once(
    site: Site, kernel: FakeKernel, open_page: Open, missed: Missed
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    await page.leave(GOING_AWAY)
    await kernel.say(stream("2", "r1"), status("idle", "r1"))
    (channel,) = site.context.kernels._channels
    await wait_for(lambda: channel.backlog.newest == 4)
    found = await missed("page-2")
    assert (texts(found), found["requests"][0]["finished"]) == (["1", "2"], True)
    assert (await missed("page-2"))["requests"] == []


async def test_missed_output_belongs_to_one_login(
    site: Site, kernel: FakeKernel, open_page: Open, missed: Missed
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    await page.leave(GOING_AWAY)
    assert (await missed("page-2", cookie=""))["requests"] == []
    assert len((await missed("page-2"))["requests"]) == 1


async def test_a_page_that_is_still_there_keeps_what_it_asked_for(
    kernel: FakeKernel, open_page: Open, missed: Missed
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    await open_page("page-2")
    assert (await missed("page-2"))["requests"] == []
    # One that was loaded anew knows whom it succeeds, though the network did not tell.
    assert texts(await missed("page-2", before="page-1")) == ["1"]


async def test_a_second_page_has_a_connection_of_its_own(
    kernel: FakeKernel, open_page: Open
) -> None:
    first, second = await open_page(), await open_page("page-2")
    await wait_for(lambda: len(kernel.connections) == 2)
    await kernel.say(stream("to both", ""))
    assert await first.receive() == await second.receive() == stream("to both", "")


@pytest.mark.parametrize("code", [GOING_AWAY, NORMAL, None])
async def test_without_a_running_cell_nothing_is_kept(
    site: Site, kernel: FakeKernel, open_page: Open, code: int | None
) -> None:
    page = await open_page()
    await wait_for(lambda: kernel.connections)
    await page.leave(code)
    await wait_for(lambda: not kernel.connections)
    assert len(site.context.kernels) == 0


async def test_a_page_that_closes_and_connects_again_gets_a_new_connection(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    """JupyterLab does so when a kernel was started again: the old connection leads nowhere."""
    page = await open_page()
    await run_cell(page, kernel)
    await page.leave(None)
    assert len(kernel.connections) == 1
    await open_page()
    await wait_for(lambda: len(kernel.clients) == 2 and len(kernel.connections) == 1)
    assert len(site.context.kernels) == 1


async def test_a_page_cut_off_in_the_middle_of_a_message_gets_a_new_connection(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    await page.send_part(b"x" * 1000, 500)
    await asyncio.sleep(0)
    page.vanish()
    await wait_for(lambda: not kernel.connections)
    await open_page()
    await wait_for(lambda: len(kernel.clients) == 2)


async def test_a_kernel_that_died_is_not_gone_on_with_but_heard(
    site: Site, kernel: FakeKernel, open_page: Open, missed: Missed
) -> None:
    await lose_page(site, kernel, await open_page())
    await kernel.say(stream("last words", "r1"), status("restarting"))
    await wait_for(lambda: not kernel.connections)
    await open_page()
    await wait_for(lambda: len(kernel.clients) == 2)
    found = await missed("page-1")
    assert (texts(found), found["requests"][0]["finished"]) == (["1", "last words"], True)
    assert len(site.context.kernels) == 1


async def test_a_session_that_ends_leaves_nothing_behind(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    await lose_page(site, kernel, await open_page())
    kernel.connections[0].close()
    await wait_for(lambda: len(site.context.kernels) == 0)


async def test_memory_is_bounded_while_no_page_is_connected(
    site: Site, kernel: FakeKernel, open_page: Open, missed: Missed
) -> None:
    page = await open_page()
    await run_cell(page, kernel)
    await page.leave(GOING_AWAY)
    (channel,) = site.context.kernels._channels
    for number in range(30):
        await kernel.say(stream(f"{number:03}" + "x" * MIB, "r1"))
    await wait_for(lambda: channel.backlog.newest == 32)
    assert channel.backlog.size <= 10 * MIB
    found = await missed("page-2")
    assert [int(text[:3]) for text in texts(found)] == list(range(21, 30))
    assert found["requests"][0]["dropped"]["count"] == 23


async def test_of_many_lines_those_go_that_were_left_first(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    site.context.kernels = KernelChannels(most=2)
    pages = [await open_page(client) for client in ("page-1", "page-2", "page-3")]
    for number, page in enumerate(pages, 1):
        await page.send(execute("r", f"page-{number}"))
        await kernel.heard.get()
    for page in pages:
        await page.leave(GOING_AWAY)
    left = [channel.backlog.client for channel in site.context.kernels._channels]
    assert left == ["page-2", "page-3"]
    await wait_for(lambda: len(kernel.connections) == 2)


async def test_after_some_hours_it_is_forgotten(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    site.context.kernels = KernelChannels(seconds=0.05)
    page = await open_page()
    await run_cell(page, kernel)
    page.vanish()
    await wait_for(lambda: not kernel.connections)
    assert len(site.context.kernels) == 0


async def test_an_unresponsive_page_is_no_reason_for_the_session_to_hang_up(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    await lose_page(site, kernel, await open_page())
    (connection,) = kernel.connections
    connection.ping(b"still there?")
    async with asyncio.timeout(patience()):
        await kernel.answered.wait()


async def test_the_page_and_the_session_agree_as_if_they_met(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    page = await open_page()
    assert "permessage-deflate" not in page.answer
    assert "Sec-Websocket-Protocol" in page.answer
    await lose_page(site, kernel, page)
    again = await open_page()
    assert set(again.answer.split("\r\n")) <= set(page.answer.split("\r\n"))
    again.vanish()
    await wait_for(lost_line(site))
    older = await open_page(protocol="")
    assert "Sec-Websocket-Protocol" not in older.answer.title()
    assert len(kernel.clients) == 2


async def test_missed_output_is_only_for_users_of_the_session(
    site: Site, missed: Missed, http_server_client: Any
) -> None:
    path = f"{site.prefix}/gpuquota/missed/fake?client=x"
    with pytest.raises(HTTPClientError, match="403"):
        await http_server_client.fetch(path, method="POST", body="")
    foreign = {"Authorization": f"token {site.token}", "Sec-Fetch-Site": "cross-site"}
    with pytest.raises(HTTPClientError, match="403"):
        await http_server_client.fetch(path, method="POST", body="", headers=foreign)
    await site.backend.sessions.stop(site.session.id)
    site.targets.forget()
    with pytest.raises(HTTPClientError, match="409"):
        await missed("page-1")


async def test_no_presence_is_reported_while_no_page_is_connected(
    site: Site, kernel: FakeKernel, open_page: Open
) -> None:
    await lose_page(site, kernel, await open_page())
    site.serverapp.web_app.settings.pop("gpuquota_ingress_last_activity", None)
    (channel,) = site.context.kernels._channels
    await kernel.say(stream("2", "r1"))
    await wait_for(lambda: channel.backlog.newest == 3)
    again = await open_page()
    await again.receive()
    assert "gpuquota_ingress_last_activity" not in site.serverapp.web_app.settings
