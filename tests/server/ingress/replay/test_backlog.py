"""What is held of a kernel, for whom, and when it is forgotten."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from jupyter_gpuquota.server.ingress.protocol.frame_splitter import FrameSplitter
from jupyter_gpuquota.server.ingress.replay.backlog import Backlog, Missed
from jupyter_gpuquota.server.ingress.replay.messages import Request
from tests.server.ingress.kernel_messages import message, status, stream
from tests.server.ingress.protocol.test_message_sniffer import BINARY, frame

MIB = 1024 * 1024
START = datetime(2026, 1, 1, 14, 2, tzinfo=UTC)


class Kernel:
    """Fill a backlog, a message each second."""

    def __init__(self, limit: int = MIB) -> None:
        self.backlog = Backlog(limit, "page-1")
        self.now = START
        self.sent: list[bytes] = []

    def ask(self, number: str = "r1", client: str = "page-1") -> None:
        self.backlog.add_request(Request(number, client, f"cell of {number}"))

    def say(self, *payloads: bytes) -> None:
        for payload in payloads:
            raw = frame(BINARY, payload, masked=False)
            self.sent.append(raw)
            for piece in FrameSplitter(len(raw)).feed(raw):
                self.backlog.add(piece, self.now)
            self.now += timedelta(seconds=1)

    def confirm(self) -> None:
        self.backlog.confirm(self.backlog.newest)


def texts(missed: Missed) -> list[str]:
    contents: list[Any] = [json.loads(bytes(one))["content"] for one in missed.messages]
    return [content.get("text") or content["execution_state"] for content in contents]


@pytest.fixture
def kernel() -> Kernel:
    return Kernel()


def test_what_the_page_has_not_confirmed_is_sent_again_in_order(kernel: Kernel) -> None:
    kernel.say(stream("1", ""), stream("2", ""))
    kernel.confirm()
    reply = message("execute_reply", {"status": "ok"}, channel="shell", parent="r1")
    kernel.say(stream("3", ""), reply)
    assert kernel.backlog.unconfirmed() == kernel.sent[2:]
    kernel.confirm()
    assert kernel.backlog.unconfirmed() == []


def test_a_page_that_is_there_leaves_nothing_behind(kernel: Kernel) -> None:
    for number in range(100):
        kernel.ask(f"r{number}")
        kernel.say(stream("x" * 1000, f"r{number}"), status("idle", f"r{number}"))
        kernel.confirm()
    assert (kernel.backlog.size, kernel.backlog.is_needed) == (0, False)


def test_a_page_loaded_anew_gets_all_output_of_what_runs(kernel: Kernel) -> None:
    kernel.ask("r0")
    kernel.say(stream("of another cell", "r0"), status("idle", "r0"))
    kernel.ask()
    kernel.say(stream("1", "r1"), message("comm_msg", {}, parent="r1"))
    kernel.confirm()
    kernel.say(stream("2", "r1"))
    missed = kernel.backlog.take("page-2")
    assert [(one.id, one.cell, one.finished) for one in missed.requests] == [
        ("r1", "cell of r1", False)
    ]
    assert texts(missed) == ["1", "2"]


def test_what_ended_meanwhile_is_handed_out_once(kernel: Kernel) -> None:
    kernel.ask()
    kernel.say(stream("1", "r1"), status("idle", "r1"))
    missed = kernel.backlog.take("page-2")
    assert texts(missed) == ["1", "idle"]
    assert missed.requests[0].finished
    assert kernel.backlog.take("page-3") == Missed()


def test_what_runs_on_stays_until_the_one_who_took_it_has_all(kernel: Kernel) -> None:
    kernel.ask()
    kernel.say(stream("1", "r1"))
    kernel.backlog.hand_over("page-2")
    kernel.say(stream("2", "r1"))
    kernel.confirm()
    assert texts(kernel.backlog.take("page-2")) == ["1", "2"]
    kernel.say(status("idle", "r1"))
    assert kernel.backlog.is_needed
    kernel.confirm()
    assert (kernel.backlog.size, kernel.backlog.is_needed) == (0, False)


def test_what_ends_before_it_is_asked_for_waits_for_the_page(kernel: Kernel) -> None:
    kernel.ask()
    kernel.say(stream("1", "r1"))
    kernel.backlog.hand_over("page-2")
    kernel.say(status("idle", "r1"))
    kernel.confirm()
    assert texts(kernel.backlog.take("page-2")) == ["1", "idle"]


def test_another_page_is_not_sent_what_the_one_before_missed(kernel: Kernel) -> None:
    kernel.ask()
    kernel.say(stream("1", "r1"), message("input_request", {}, channel="stdin", parent="r1"))
    kernel.backlog.hand_over("page-2")
    assert kernel.backlog.unconfirmed() == []


def test_the_one_who_asked_goes_on_by_itself(kernel: Kernel) -> None:
    kernel.ask()
    kernel.say(stream("1", "r1"))
    assert kernel.backlog.take("page-1") == Missed()


def test_memory_is_bounded_and_the_oldest_go() -> None:
    kernel = Kernel(10 * MIB)
    kernel.ask()
    for number in range(25):
        kernel.say(stream(str(number).zfill(MIB), "r1"))
        assert kernel.backlog.size <= 10 * MIB
    missed = kernel.backlog.take("page-2")
    assert [int(text[-3:]) for text in texts(missed)] == list(range(16, 25))
    dropped = missed.requests[0].dropped
    assert dropped
    assert (dropped.count, dropped.first, dropped.last) == (
        16,
        START,
        START + timedelta(seconds=15),
    )


def test_small_messages_count_for_what_they_take() -> None:
    kernel = Kernel(MIB)
    kernel.ask()
    kernel.say(*[stream("x", "r1")] * 5000)
    assert len(kernel.backlog.unconfirmed()) * 256 < MIB


def test_a_page_that_was_away_hears_what_of_its_own_is_lost() -> None:
    kernel = Kernel(10_000)
    kernel.ask()
    kernel.say(stream("before", "r1"))
    kernel.confirm()
    kernel.say(stream("1" * 6000, "r1"), stream("2" * 6000, "r1"))
    lost = kernel.backlog.take("page-1").lost
    assert lost
    assert (lost.count, lost.first) == (1, START + timedelta(seconds=1))
    assert kernel.backlog.take("page-1").lost is None


@pytest.mark.parametrize(
    "end",
    [status("restarting"), status("dead"), message("shutdown_reply", {"restart": True})],
)
def test_the_last_words_of_a_kernel_are_kept(kernel: Kernel, end: bytes) -> None:
    kernel.ask()
    kernel.say(stream("last words", "r1"), end)
    assert kernel.backlog.stale
    missed = kernel.backlog.take("page-1")
    assert texts(missed) == ["last words"]
    assert missed.requests[0].finished


def test_unanswered_requests_do_not_pile_up(kernel: Kernel) -> None:
    for number in range(1500):
        kernel.ask(f"r{number}")
    held = [one.id for one in kernel.backlog.take("page-2").requests]
    assert held == [f"r{number}" for number in range(1000)]
