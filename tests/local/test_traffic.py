"""Bytes that sessions move: what is counted, and of whom."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping

import pytest

from jupyter_gpuquota.core.idle import work
from jupyter_gpuquota.local.signals.traffic import Gain, Network, gained, gains
from jupyter_gpuquota.sock_diag import Connection, connections

HERE, THERE = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])


def connection(inode: int, sent: int = 0, received: int = 0, port: int = 40_000) -> Connection:
    local, remote = (HERE, port), (THERE, 443)
    return Connection(inode, os.geteuid(), local, remote, sent, received, listens=False)


def listener(port: int) -> Connection:
    ends = ((HERE, port), (bytes(4), 0))
    return Connection(9, os.geteuid(), *ends, sent=0, received=128, listens=True)


@pytest.mark.parametrize(
    ("rates", "counted"),
    [
        ({}, 0),
        ({"disks": 136}, 136),
        ({"opened": 900}, 0),  # heartbeats
        ({"opened": 5_000}, 4_000),
        ({"accepted": 19_000}, 0),  # pages that poll
        ({"accepted": 50_000}, 30_000),
        ({"disks": 50, "opened": 999, "accepted": 19_999}, 50),
    ],
)
def test_little_on_connections_is_no_work(rates: Mapping[str, float], counted: float) -> None:
    assert work.moved(**rates) == counted


@pytest.mark.parametrize(
    ("before", "now", "gain"),
    [
        ([], [connection(1, 10, 200)], {1: Gain(opened=210)}),
        ([connection(1, 10, 200)], [connection(1, 15, 260)], {1: Gain(opened=65)}),
        ([connection(1, 10, 200)], [connection(1, 5, 2)], {1: Gain()}),  # another of this number
        ([], [listener(8080)], {}),
        (
            [listener(8080), connection(1, 0, 200, port=8080)],
            [listener(8080), connection(1, 9_000, 300, port=8080)],
            {1: Gain(accepted=100)},
        ),
        ([], [connection(0, 10, 200)], {}),  # nobody holds it
    ],
)
def test_of_accepted_connections_what_they_receive_counts(
    before: Iterable[Connection], now: Iterable[Connection], gain: Mapping[int, Gain]
) -> None:
    assert dict(gains({each.inode: each for each in before}, now)) == gain


@pytest.mark.parametrize(
    ("before", "now", "gain"),
    [
        ({}, {(1, 0): (50, 0)}, 50),
        ({(1, 0): (50, 0)}, {(1, 0): (70, 0)}, 20),
        ({(1, 0): (50, 0)}, {(1, 5): (70, 0)}, 70),  # another of this number
        ({(1, 0): (50, 0), (2, 0): (30, 1)}, {(1, 0): (80, 0)}, 0),  # it was reaped
        ({(1, 0): (50, 0), (2, 0): (30, 1)}, {(1, 0): (90, 0)}, 10),
        ({(1, 0): (5, 0), (2, 0): (30, 1), (3, 0): (4, 2)}, {(1, 0): (39, 0)}, 0),
        ({(2, 0): (30, 1)}, {}, 0),
    ],
)
def test_bytes_of_a_process_that_ended_are_not_counted_again(
    before: Mapping[tuple[int, int], tuple[int, int]],
    now: Mapping[tuple[int, int], tuple[int, int]],
    gain: int,
) -> None:
    assert gained(before, now) == gain


@pytest.mark.parametrize(
    ("family", "address"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")],
)
def test_the_system_tells_bytes_and_those_inside_a_session_do_not_count(
    family: socket.AddressFamily, address: str
) -> None:
    with socket.socket(family) as server, socket.socket(family) as client:
        server.bind((address, 0))
        server.listen()
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            network = Network()
            assert network.update({}, {}) == {}
            client.sendall(bytes(90_000))
            assert len(accepted.recv(70_000, socket.MSG_WAITALL)) == 70_000
            found = {each.inode: each for each in connections()}
            ends = [os.fstat(each.fileno()).st_ino for each in (client, accepted, server)]
            assert found[ends[0]].sent  # as far as it was acknowledged
            assert found[ends[1]].received == 70_000
            assert found[ends[0]].remote == found[ends[1]].local
            assert [found[each].listens for each in ends] == [False, False, True]
            assert network.update({"a": [os.getpid()]}, {}) == {"a": Gain()}
            assert network.works


def test_what_a_sessions_server_moves_does_not_count() -> None:
    with socket.socket() as client:
        inode, own = os.fstat(client.fileno()).st_ino, os.getpid()
        moved = iter([[], [connection(inode, 500)], [connection(inode, 700)]])
        network = Network(lambda: next(moved))
        network.update({}, {})
        assert network.update({"a": [own]}, {}) == {"a": Gain(500)}
        assert network.update({"a": [own]}, {"a": own}) == {"a": Gain()}


def test_a_system_that_does_not_tell_is_asked_again() -> None:
    answers = [OSError("no sock_diag"), [connection(1)], [connection(1, 500)]]

    def ask() -> list[Connection]:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    network = Network(ask)
    assert network.update({"a": []}, {}) == {}
    assert not network.works
    network.update({"a": []}, {})
    assert network.works
    assert network.update({"a": [os.getpid()]}, {}) == {"a": Gain()}
