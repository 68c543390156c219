"""Connections are lent in the order of requests, and returned ones are reused."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest
from tornado.iostream import IOStream

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.server.connections import Connections
from tests.waiting import patience

PEER = "peer"


class Peer:
    """A peer whose connections are opened when the test says so."""

    def __init__(self) -> None:
        self.asked = 0
        self.refuse = 0
        self.gate = asyncio.Event()
        self.ends: list[socket.socket] = []
        self.lines: list[IOStream] = []

    async def connect(self) -> IOStream:
        self.asked += 1
        await self.gate.wait()
        if self.refuse:
            self.refuse -= 1
            raise Unavailable("no")
        near, far = socket.socketpair()
        far.settimeout(0)
        self.ends.append(far)
        self.lines.append(IOStream(near))
        return self.lines[-1]

    def close(self) -> None:
        for line in self.lines:
            line.close()
        for end in self.ends:
            end.close()


@pytest.fixture
def peer(jp_asyncio_loop: asyncio.AbstractEventLoop) -> Iterator[Peer]:
    made = Peer()
    yield made
    made.close()


async def settle() -> None:
    """Let all pending callbacks run."""
    for _ in range(10):
        await asyncio.sleep(0)


def borrow(lines: Connections, peer: Peer) -> asyncio.Task[IOStream]:
    return asyncio.ensure_future(lines.borrow(PEER, peer.connect))


async def test_many_who_come_at_once_share_what_a_few_open(peer: Peer) -> None:
    lines = Connections(opening=2)
    asking = [borrow(lines, peer) for _ in range(20)]
    await settle()
    assert peer.asked == 2
    peer.gate.set()
    served = []
    for each in asking:  # whoever came first is served first
        served.append(await each)
        lines.give_back(PEER, served[-1])
    assert len({id(line) for line in served}) == len(peer.lines) < 20
    lines.close()


async def test_long_connections_do_not_delay_others(peer: Peer) -> None:
    lines = Connections(opening=2)
    peer.gate.set()
    asking = [borrow(lines, peer) for _ in range(20)]
    await asyncio.wait_for(asyncio.gather(*asking), patience())
    assert len(peer.lines) == 20
    lines.close()


async def test_a_returned_connection_goes_to_the_longest_waiting_request(peer: Peer) -> None:
    lines = Connections(opening=1)
    peer.gate.set()
    line = await borrow(lines, peer)
    peer.gate.clear()
    first, second = borrow(lines, peer), borrow(lines, peer)
    await settle()
    assert peer.asked == 2
    lines.give_back(PEER, line)
    assert await first is line
    assert not second.done()
    peer.gate.set()
    assert await second is not line
    lines.close()


async def test_a_refusal_fails_one_request_and_the_next_tries_again(peer: Peer) -> None:
    lines = Connections(opening=1)
    peer.refuse = 1
    first, second = borrow(lines, peer), borrow(lines, peer)
    peer.gate.set()
    with pytest.raises(Unavailable):
        await first
    assert not (await second).closed()
    lines.close()


async def test_whoever_leaves_gives_up_the_place_and_loses_no_line(peer: Peer) -> None:
    lines = Connections(opening=1)
    first, second = borrow(lines, peer), borrow(lines, peer)
    await settle()
    assert peer.asked == 1
    first.cancel()
    peer.gate.set()
    line = await second
    assert peer.lines == [line]
    peer.gate.clear()
    third = borrow(lines, peer)
    await settle()
    assert peer.asked == 2
    lines.give_back(PEER, line)
    third.cancel()  # in the moment in which it was given the line
    with pytest.raises(asyncio.CancelledError):
        await third
    fourth = borrow(lines, peer)
    assert await fourth is line
    fifth, sixth = borrow(lines, peer), borrow(lines, peer)
    await settle()
    fifth.cancel()
    lines.give_back(PEER, line)  # before it has noticed
    assert await sixth is line
    lines.close()


async def test_what_nobody_asks_for_is_closed_in_time(peer: Peer) -> None:
    lines = Connections(seconds=0.05)
    peer.gate.set()
    line = await borrow(lines, peer)
    lines.give_back(PEER, line)
    assert await asyncio.get_running_loop().sock_recv(peer.ends[0], 1) == b""


async def test_no_more_are_kept_than_allowed(peer: Peer) -> None:
    lines = Connections(kept=3)
    peer.gate.set()
    lent = [await borrow(lines, peer) for _ in range(5)]
    for line in lent:
        lines.give_back(PEER, line)
    assert [line.closed() for line in lent] == [False] * 3 + [True] * 2
    lines.close()


async def test_at_the_end_nobody_waits_for_ever(peer: Peer) -> None:
    lines = Connections()
    waiting = borrow(lines, peer)
    await settle()
    assert peer.asked == 1
    lines.close()
    with pytest.raises(Unavailable):
        await waiting
