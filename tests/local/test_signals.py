"""How each signal is derived from its readings."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.session_http import ServerConnection
from jupyter_gpuquota.control.signals.kernels import Kernels
from jupyter_gpuquota.control.signals.presence import Presence
from jupyter_gpuquota.control.signals.servers import Kernel, Terminal
from jupyter_gpuquota.core.idle import work
from jupyter_gpuquota.core.idle.work import TerminalTimes
from jupyter_gpuquota.local.backend import fingerprint
from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.gpus.devices import Devices, WorkLog
from jupyter_gpuquota.local.gpus.inventory import Work
from jupyter_gpuquota.local.gpus.nvml import Nvml
from jupyter_gpuquota.local.gpus.usage import held_by
from jupyter_gpuquota.local.shim import procfs
from jupyter_gpuquota.local.shim.procfs import Stat, read_stat
from jupyter_gpuquota.local.signals import gpus, terminals
from jupyter_gpuquota.local.signals.cpu_time import (
    TICKS,
    CpuTime,
    ProcessTree,
    Spent,
    programs_of,
    spent_by,
)
from jupyter_gpuquota.local.signals.gpus import Gpus
from jupyter_gpuquota.local.signals.iopub import Listeners, address_of
from jupyter_gpuquota.local.signals.terminals import TerminalUse, times_of
from jupyter_gpuquota.model.idleness import Idleness, PresenceRequest
from jupyter_gpuquota.model.resources import Placement
from jupyter_gpuquota.model.sessions import Endpoint, Session
from tests.builders import make_placement, make_session, make_slice
from tests.local.fake_nvml import FakeNvml, Gpu

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def stat(pid: int, **fields: Any) -> Stat:
    defaults = dict.fromkeys(Stat._fields, 0) | {"pid": pid, "state": "S", "ticks": pid}
    return Stat(**{**defaults, **fields})


# CPU


@dataclass
class Tree:
    """Processes whose parents wait for them, with CPU times as the kernel accounts for them."""

    def __post_init__(self) -> None:
        self.all = {1: stat(1)}
        self.next = 2
        self.total = 0

    def change(self, pid: int, **fields: Any) -> None:
        self.all[pid] = self.all[pid]._replace(**fields)

    def act(self, what: str, which: int, ticks: int) -> None:
        pid = sorted(self.all)[which % len(self.all)]
        if what == "spend":
            self.total += ticks
            self.change(pid, spent=self.all[pid].spent + ticks)
        elif what == "fork":
            self.all[self.next] = stat(self.next, parent=pid)
            self.next += 1
        elif pid != 1:
            gone = self.all.pop(pid)
            parent = gone.parent if gone.parent in self.all else 1
            grown = self.all[parent].reaped + gone.spent + gone.reaped
            self.change(parent, reaped=grown)
            for child in [s.pid for s in self.all.values() if s.parent == pid]:
                self.change(child, parent=1)


ACTS = st.tuples(st.sampled_from(["spend", "fork", "end"]), st.integers(0, 9), st.integers(1, 99))


@given(st.lists(st.lists(ACTS, max_size=12), max_size=6))
def test_what_is_spent_counts_once_whoever_ends_between_two_looks(rounds):
    tree, seen = Tree(), 0
    before = {(s.pid, s.ticks): s for s in tree.all.values()}
    for acts in rounds:
        for act in acts:
            tree.act(*act)
        seen += spent_by(before, tree.all, 0)
        before = {(s.pid, s.ticks): s for s in tree.all.values()}
    assert seen == tree.total


def test_the_shim_takes_in_what_has_lost_its_parent():
    known, shim = CpuTime(), stat(5, reaped=70)
    assert known.update(ProcessTree({9: stat(9, spent=50)}, shim), 0.0) is None
    shim = shim._replace(reaped=70 + 50 + TICKS)  # it had spent 50 before
    found = known.update(ProcessTree({}, shim), 10.0)
    assert found.percent == pytest.approx(10.0)


def test_another_process_with_the_same_number_is_new():
    old, new = stat(9, spent=500), stat(9, ticks=1000, spent=3)
    assert spent_by({(9, 9): old}, {9: new}, 0) == 3


def test_the_first_look_is_unknown_and_the_threshold_is_the_admins():
    for signal in (work.cpu, work.io):
        assert signal(None, 5).state == "unknown"
        assert [signal(5.04, busy).state for busy in (5, 6)] == ["busy", "idle"]
    assert work.cpu(5.04, 6).detail == "5.0 % of a core (idle up to 6 %)."
    assert work.io(1_300_000, 100, "But.").detail == "1.3 MB/s (idle up to 100 B/s). But."


@pytest.mark.parametrize(
    ("ran", "waited", "share"),
    [
        (0, 0, 0),
        (0, 30, 0),
        (1.7, 0, 0.0567),  # it sleeps
        (1.7, 28.3, 1),  # it would not have slept
        (1.7, 60, 1),  # what it waited before is accounted now
        (0.3, 15, 0.02),  # a monitor on a busy machine
        (30, 0, 1),
    ],
)
def test_a_thread_that_waits_for_a_processor_wants_one(ran, waited, share):
    assert work.wanted(ran, waited, 30) == pytest.approx(share, abs=0.001)


@given(*[st.floats(0, 1000)] * 3)
def test_nobody_wants_less_than_he_got_or_more_than_a_core(ran, waited, span):
    ran = min(ran, span)
    share = work.wanted(ran, waited, span)
    assert share <= 1
    assert ran == 0 or share >= ran / span


def test_programs_of_terminals_are_those_in_the_foreground():
    terminal = {"terminal": 34816, "session": 10, "foreground": 20}
    stats = [
        stat(5, group=5, session=5),  # Jupyter Server
        stat(10, group=10, parent=5, **terminal),  # the shell
        stat(20, group=20, parent=10, **terminal),
        stat(21, group=20, parent=20, **terminal),
        stat(30, group=30, parent=10, **terminal),  # in the background
        stat(40, group=40, session=40),  # without a terminal
        stat(50, group=50, parent=5, session=50, terminal=34817, foreground=50),  # waits for input
    ]
    assert [each.pid for each in programs_of({s.pid: s for s in stats})] == [20, 21]


def test_who_enters_from_a_terminal_runs_programs_in_it():
    terminal = {"terminal": 34816, "session": 10, "foreground": 20}  # whose shell is a stranger's
    stats = [
        stat(20, group=20, **terminal),
        stat(21, group=20, parent=20, **terminal),
        stat(30, group=30, parent=20, **terminal),  # in the background
        stat(50, group=50, session=11, terminal=34817, foreground=11),  # the stranger is in front
        stat(60, group=60, session=60, terminal=34818, foreground=60),  # that of `ssh -t`
    ]
    assert [each.pid for each in programs_of({s.pid: s for s in stats})] == [20, 21, 60]


def test_a_process_is_read_with_what_it_spends():
    found = read_stat(os.getpid())
    assert found.group == os.getpgrp()
    assert found.spent > 0
    assert found.session == os.getsid(0)


def test_the_system_tells_how_long_each_thread_ran_and_waited():
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    found = procfs.schedule_of(read_stat(os.getpid()))
    ended.set()
    thread.join()
    assert found.keys() >= {os.getpid(), threading.get_native_id()}
    assert len(found) >= 2
    ran, waited = found[threading.get_native_id()]
    assert ran > 0 <= waited
    assert procfs.schedule_of(stat(2**22 + 1)) == {}


def test_a_loop_that_hardly_gets_a_processor_counts_as_if_it_had_one():
    """It gets 0.3 of 12 seconds, and sleeps in none of them."""
    schedule = iter([{20: (1.0, 5.0)}, {20: (1.3, 16.7)}])
    clock = CpuTime(schedule=lambda _: next(schedule))
    spent = 0
    for at in (0, 12, 24):
        found = clock.update(ProcessTree({20: stat(20, spent=spent, state="R")}), at)
        spent += 3 * TICKS // 10
    assert found.percent == pytest.approx(100)


def test_bytes_that_reach_a_disk_are_counted_and_others_are_not(on_disk):
    before = procfs.moved_by(os.getpid())
    ours, theirs = os.openpty()
    os.write(theirs, b"printed")
    assert procfs.moved_by(os.getpid()) == before
    for each in (ours, theirs):
        os.close(each)
    (on_disk / "file").write_bytes(bytes(10_000))
    assert procfs.moved_by(os.getpid()) >= before + 10_000
    assert procfs.moved_by(2**22 + 1) is None


# Terminals

LONG_AGO, HOUR = datetime.fromtimestamp(1000, UTC), timedelta(hours=1)


def test_the_kernel_knows_when_a_terminal_was_used_and_looking_is_no_use():
    ours, theirs = os.openpty()
    number = os.fstat(theirs).st_rdev

    def rest() -> None:
        os.utime(theirs, (1000, 1000))
        assert times_of(number) == times_of(number) == TerminalTimes(LONG_AGO, LONG_AGO)

    rest()
    os.write(theirs, b"printed")
    assert datetime.now(UTC) - times_of(number).printed < MINUTE
    rest()
    os.write(ours, b"typed\n")
    os.read(theirs, 100)  # nothing is taken in before it is read
    assert datetime.now(UTC) - times_of(number).typed < MINUTE
    for each in (ours, theirs):
        os.close(each)
    assert times_of(number) is None


def test_of_a_program_that_waits_for_keys_only_what_is_typed_counts():
    ours, theirs = os.openpty()
    number = os.fstat(theirs).st_rdev
    stats = {20: stat(20, group=20, terminal=number, foreground=20, session=20)}
    assert list(programs_of(stats, terminals.observe(ProcessTree(stats)).clocks)) == [stats[20]]
    tty.setcbreak(theirs)
    seen = terminals.observe(ProcessTree(stats))
    assert seen.clocks == {number}
    assert not list(programs_of(stats, seen.clocks))
    os.utime(theirs, (1000, 1000))
    os.write(theirs, b"redrawn")
    assert terminals.observe(ProcessTree(stats)).used == (LONG_AGO,)
    os.write(ours, b"q")
    os.read(theirs, 100)
    assert datetime.now(UTC) - terminals.observe(ProcessTree(stats)).used[0] < MINUTE
    for each in (ours, theirs):
        os.close(each)
    assert terminals.observe(ProcessTree(stats)) == TerminalUse(hidden=True)


@pytest.mark.parametrize(
    ("typed", "printed", "by", "used", "then"),
    [
        (1, 0, "lines", 0, "program"),
        (1, 2, "lines", 1, "program"),
        (1, 0, "keys", 1, "clock"),
        (24, 2, "lines", 2, "program"),
        (48, 2, "lines", 24, "clock"),
        (25, 0, "lines", 1, "clock"),  # `nvidia-smi -l` that nobody looks at
        (30, 28, "lines", 28, "clock"),
    ],
)
def test_what_is_printed_counts_for_a_day_after_something_was_typed(
    typed: int, printed: int, by: str, used: int, then: str
) -> None:
    """Times are hours ago."""
    hours = [NOW - each * HOUR for each in (typed, printed)]
    times = work.TerminalTimes(*hours, takes_keys=by == "keys")
    assert times.used == NOW - used * HOUR
    assert times.is_clock(NOW) == (then == "clock")


@pytest.mark.parametrize(
    ("shown", "used"),
    [
        ([(0, "step 1"), (5, "step 2")], 5),
        ([(0, "\x1b[H\x1b[2Jtop"), (0.1, "its second half"), (5, "\x1b[Htop")], -60),
        ([(0, "\x1b[5;1Hwatch"), (5, "$ ")], 5),  # it has ended
        ([(0, "\x1b[32m100 %\x1b[0m\r"), (5, "\x1b[1Adone")], 5),  # colours and bars of progress
    ],
)
def test_of_a_terminal_far_away_what_is_drawn_at_a_place_is_no_use(
    shown: Sequence[tuple[float, str]], used: float
) -> None:
    """Times are seconds; something was typed a minute before."""
    screen = work.Screen(typed=NOW - MINUTE)
    times = [screen.show(text, NOW + timedelta(seconds=at)) for at, text in shown]
    assert max(times) == NOW + timedelta(seconds=used)


def test_a_terminal_counts_only_for_whom_is_in_front():
    ours, theirs = os.openpty()
    at = {"terminal": os.fstat(theirs).st_rdev, "foreground": 20}
    assert terminals.observe(ProcessTree({20: stat(20, group=20, **at)})).used
    assert not terminals.observe(ProcessTree({30: stat(30, group=30, **at)})).any
    for each in (ours, theirs):
        os.close(each)
    assert terminals.observe(ProcessTree({20: stat(20, group=20, **at)})) == TerminalUse(
        hidden=True
    )
    assert terminals.observe(ProcessTree({30: stat(30, group=30, **at)})) == TerminalUse()
    assert times_of(os.makedev(4, 250)) is times_of(os.makedev(250, 250)) is None


LATER = NOW + MINUTE
AT_WORK, AT_REST = Spent(9, programs=9), Spent(9, programs=0)


@pytest.mark.parametrize(
    ("jupyters", "seen", "spent", "state", "last"),
    [
        ([], TerminalUse(), None, "idle", None),
        ([], TerminalUse(), AT_WORK, "idle", None),
        ([], TerminalUse(awaited=True), AT_REST, "busy", None),
        ([NOW], TerminalUse(), AT_WORK, "busy", None),
        ([], TerminalUse((NOW,)), AT_WORK, "busy", None),
        ([], TerminalUse((NOW,)), None, "unknown", None),
        ([None], TerminalUse(), AT_REST, "unknown", None),
        ([None], TerminalUse((NOW,)), AT_REST, "idle", NOW),
        ([], TerminalUse((NOW,), hidden=True), AT_REST, "unknown", None),
        ([], TerminalUse(hidden=True), AT_WORK, "busy", None),
        ([NOW], TerminalUse(), AT_REST, "idle", NOW),
        ([NOW], TerminalUse((LATER,)), AT_REST, "idle", LATER),
        ([LATER], TerminalUse((NOW,)), AT_REST, "idle", NOW),  # a page
        ([], TerminalUse((NOW, LATER)), AT_REST, "idle", LATER),
    ],
)
def test_terminals_are_used_when_the_last_of_them_was(jupyters, seen, spent, state, last):
    known = [Terminal(name="1", last_activity=at) for at in jupyters]
    found = terminals.reading(known, seen, spent, Clock())
    assert (found.state, found.last) == (state, last)


def test_terminals_go_by_the_clock_that_is_tried_with():
    clock = Clock(ahead=timedelta(hours=12))
    found = terminals.reading([], TerminalUse((NOW,)), AT_REST, clock)
    assert found.last == NOW + timedelta(hours=12)


@contextmanager
def entered(command: Sequence[str], **options: Any) -> Iterator[int]:
    """Run a program that waits until it is asked to end; yield its pid."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, **options) as process:
        yield process.pid


def awaited(pid: int) -> bool:
    """Observe a session with this as its only process, without the terminal of the tests."""
    return terminals.observe(ProcessTree({pid: read_stat(pid)._replace(terminal=0)})).awaited


def test_a_program_without_a_terminal_is_waited_for_by_who_started_it(tmp_path):
    with entered(["cat"], stdout=subprocess.PIPE, start_new_session=True) as pid:
        assert awaited(pid)  # as a notebook runs it
        shim = read_stat(os.getpid())
        assert not terminals.observe(ProcessTree({pid: read_stat(pid)}, shim)).awaited
    with (tmp_path / "log").open("wb") as log:
        with entered(["cat"], stdout=log) as pid:
            assert awaited(pid)  # as a script does
        with entered(["cat"], stdout=log, start_new_session=True) as pid:
            assert not awaited(pid)  # nobody reads it


def test_nobody_waits_for_what_was_left_behind():
    code = """
import os
if os.fork(): os._exit(0)
os.setsid()
print(os.getpid(), flush=True)
os.read(0, 1)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        pid = int(process.stdout.readline())
        process.stdout.close()
        process.wait()
        assert not awaited(pid)


# GPU


def held(*uuids: str, session: str = "a") -> Session:
    placement = Placement(node="n1", slices=tuple(make_slice(uuid=uuid) for uuid in uuids))
    return make_session(session, state="running", placement=placement)


SCREEN = frozenset({9})


def judged(*works: Work | None, owners: dict[int, str] | None = None, alone: bool = True) -> Any:
    by_uuid = {str(i): work for i, work in enumerate(works)}
    return gpus.gpu("a", by_uuid, owners or {}, alone=alone, busy=1).state


@pytest.mark.parametrize(
    ("work", "owners", "alone", "state"),
    [
        (Work(90, {7: 80}), {7: "a"}, False, "busy"),
        (Work(90, {7: 1}), {7: "a", 8: "b"}, True, "busy"),  # nobody explains it: it is alone
        (Work(90, {8: 80}), {8: "b"}, False, "idle"),
        (Work(90, {8: 80}), {8: "-"}, True, "idle"),
        (Work(90, {8: 80}), {}, False, "unknown"),  # a number of another counting
        (Work(90, {8: 80}), {}, True, "busy"),
        (Work(0, {8: 80}), {}, False, "unknown"),  # it was used, and is not at this moment
        (Work(0, {8: 80}), {}, True, "busy"),
        (Work(None, {8: 80}), {}, True, "busy"),
        (Work(0, {}), {}, False, "idle"),
        (Work(0, {}, most=98), {}, True, "busy"),  # it worked between two checks
        (Work(0, {}, most=98), {}, False, "unknown"),
        (Work(None, {}), {}, True, "unknown"),
        (Work(90, {}), {}, False, "unknown"),
        (Work(1, None), {}, False, "idle"),
        (Work(2, None), {}, False, "unknown"),
        (Work(2, None), {}, True, "busy"),
        (Work(None, None), {}, True, "unknown"),
        (None, {}, True, "unknown"),
        # A screen, 9, whose owner is `-`, or nobody where it is outside of our container.
        (Work(60, {9: 55}, drawing=SCREEN), {9: "-"}, True, "idle"),
        (Work(3, {9: 1}, drawing=SCREEN), {9: "-"}, True, "idle"),
        (Work(3, {9: 1}, drawing=SCREEN), {9: "-"}, False, "idle"),
        (Work(60, {9: 55}, drawing=SCREEN), {}, True, "idle"),
        (Work(90, {9: 5, 7: 80}, drawing=SCREEN), {9: "-", 7: "a"}, True, "busy"),
        (Work(90, {9: 5, 8: 80}, drawing=SCREEN), {9: "-"}, True, "unknown"),
        (Work(90, {9: 5, 8: 80}, drawing=SCREEN), {9: "-", 8: "b"}, False, "idle"),
        (Work(3, {}, drawing=SCREEN), {9: "-"}, True, "unknown"),
        (Work(3, None, drawing=SCREEN), {9: "-"}, True, "unknown"),
        (Work(1, None, drawing=SCREEN), {9: "-"}, True, "idle"),
        (Work(60, {9: 55}, drawing=SCREEN), {9: "a"}, True, "busy"),  # it draws itself
    ],
)
def test_a_gpu_is_idle_only_if_it_can_be_told(work, owners, alone, state):
    assert judged(work, owners=owners, alone=alone) == state


def test_the_busiest_of_several_gpus_counts():
    assert judged(Work(0, {}), Work(50, {7: 50}), None, owners={7: "a"}) == "busy"
    assert judged(Work(0, {}), None) == "unknown"
    assert judged(Work(0, {}), Work(0, {})) == "idle"


@pytest.mark.parametrize(
    ("work", "owners", "alone", "percent"),
    [
        (Work(90, {7: 80, 8: 30}, 0, {7: 60, 8: 30}), {7: "a", 8: "b"}, False, 60),
        (Work(0, {7: 80}), {7: "a"}, False, 0),  # it was used, and rests now
        (Work(90, {8: 80}, 0, {8: 80}), {8: "-"}, True, 0),  # of another program
        (Work(90, {8: 80}, 0, {8: 80}), {}, False, None),
        (Work(90, {8: 80}, 0, {8: 80}), {}, True, 90),
        (Work(40, None), {}, True, 40),
        (Work(40, None), {}, False, None),
        (Work(0, {}), {}, False, 0),
        (Work(None, None), {}, True, None),
        (None, {}, True, None),
        (Work(40, {9: 30}, 0, {9: 30}, drawing=SCREEN), {9: "-"}, True, 0),
        (Work(40, {9: 30}, 0, {9: 30}, drawing=SCREEN), {}, True, 0),
        (Work(40, None, drawing=SCREEN), {9: "-"}, True, None),
    ],
)
def test_a_utilisation_is_that_of_the_session_or_unknown(work, owners, alone, percent):
    found = gpus.gpu("a", {"GPU-0": work}, owners, alone=alone, busy=1)
    assert found.percent == percent
    both = {"GPU-0": work, "GPU-1": Work(0, {})}
    mean = None if percent is None else percent // 2
    assert gpus.gpu("a", both, owners, alone=alone, busy=1).percent == mean


def test_only_new_samples_count_as_use_at_this_moment():
    now = time.time_ns() // 1000
    samples = [(7, now - 60_000_000, 90), (7, now - 900_000, 20), (7, now - 800_000, 30)]
    gpu = Gpu("GPU-0", utilisation=30, samples=[*samples, (8, now - 60_000_000, 50)])
    found = Gpus(devices(FakeNvml(gpu))).read_work([held("GPU-0")])["GPU-0"]
    assert found
    assert (found.processes, found.newest) == ({7: 90, 8: 50}, {7: 30})


def devices(nvml: FakeNvml) -> Devices:
    config = LocalConfig(root_dir="/", devices="nvml")
    return Devices(config, Nvml(nvml))


def test_what_processes_do_is_asked_from_the_last_time_on():
    gpu = Gpu("GPU-0", utilisation=30, samples=[(7, 100, 20), (7, 200, 40), (8, 150, 5)])
    known = Gpus(devices(FakeNvml(gpu)))
    assert known.read_work([held("GPU-0")]) == {"GPU-0": Work(30, {7: 40, 8: 5}, 200)}
    gpu.samples.append((7, 300, 9))
    assert known.read_work([held("GPU-0")]) == {"GPU-0": Work(30, {7: 9}, 300)}
    assert known.read_work([held("GPU-0")]) == {"GPU-0": Work(30, {}, 300)}


def test_work_that_the_driver_forgets_before_it_is_asked_counts_and_only_once():
    gpu = Gpu("GPU-0", utilisation=98, samples=[(7, 100, 98)])
    log = WorkLog(Nvml(FakeNvml(gpu)), apart=0)
    log.note(["GPU-0"])
    gpu.samples[:], gpu.utilisation = [(7, 200, 0), (8, 200, 5)], 0
    log.note(["GPU-0"])
    gpu.samples[:] = []
    assert log.take(["GPU-0"]) == {"GPU-0": Work(0, {7: 98, 8: 5}, 200, most=98)}
    assert log.take(["GPU-0"]) == {"GPU-0": Work(0, {}, 200)}


def test_work_that_was_noted_just_now_is_not_read_again():
    gpu = Gpu("GPU-0", utilisation=98, samples=[(7, 100, 98)])
    log = WorkLog(Nvml(FakeNvml(gpu)), apart=1000)
    log.note(["GPU-0"])
    gpu.samples[:], gpu.utilisation = [], 0
    assert log.take(["GPU-0"]) == {"GPU-0": Work(98, {7: 98}, 100)}
    assert log.take(["GPU-0"]) == {"GPU-0": Work(0, {}, 100)}
    gpu.gone = True
    log.note(["GPU-0"])
    assert log.take(["GPU-0", "GPU-9"]) == {"GPU-0": None, "GPU-9": None}


def test_a_driver_that_cannot_tell_and_one_that_has_lost_the_gpu():
    mig = Gpu("GPU-1", instances=[Gpu("MIG-1", utilisation=None)], utilisation=None)
    nvml = FakeNvml(Gpu("GPU-0", utilisation=None), mig)
    known = Gpus(devices(nvml))
    both = held("GPU-0", "MIG-1")
    assert known.read_work([both]) == {"GPU-0": Work(None, None), "MIG-1": Work(None, None)}
    nvml.gpus[0].gone = True
    assert known.read_work([both])["GPU-0"] is None


def test_nothing_is_said_of_gpus_that_are_simulated():
    placement = make_placement(make_slice())
    assert held_by(make_session("a", placement=placement)) == []
    assert held_by(make_session("a")) == []


def test_processes_outside_of_sessions_are_others_unless_they_work_for_somebody():
    works = [Work(50, {7: 50, os.getpid(): 50, 2**22 + 1: 50}), None]
    known = Gpus(devices(FakeNvml()), is_here=lambda _: True)
    assert known.attribute(works, {7: "a"}) == {7: "a", os.getpid(): "-"}
    inside = Gpus(devices(FakeNvml()), is_here=lambda pid: pid == 7)
    assert inside.attribute(works, {7: "a"}) == {7: "a"}


# Kernels


class Ear:
    """A listener that reports what a test sets."""

    def __init__(self) -> None:
        self.heard: tuple[bool, datetime | None] = (True, None)

    def poll(self) -> tuple[bool, datetime | None]:
        return self.heard


class Ears:
    """All listeners."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Ear] = {}

    def get(self, kernel: tuple[str, str]) -> Ear | None:
        return self.known.get(kernel)


def kernel(minutes: float, name: str = "k", state: str | None = "idle") -> Kernel:
    return Kernel(id=name, last_activity=NOW + minutes * MINUTE, execution_state=state)


def test_what_moves_a_kernel_counts_until_it_can_be_told():
    ears = Ears()
    known = Kernels("s", ears)

    def last(minutes: float) -> float:
        known.update([kernel(minutes)])
        return (known.reading([kernel(minutes)], Clock()).last - NOW) / MINUTE

    assert known.update([kernel(1)]) == []  # it was not seen to move
    assert known.update([kernel(2)]) == ["k"]
    assert last(2) == pytest.approx(2)
    ears.known["s", "k"] = ear = Ear()
    ear.heard = (False, None)  # it has just begun to listen
    assert last(3) == pytest.approx(3)
    ear.heard = (True, None)  # a widget, or a print
    assert last(4) == pytest.approx(3)
    ear.heard = (True, NOW + 4.5 * MINUTE)
    assert last(5) == pytest.approx(4.5)
    ear.heard = (False, None)  # too much came
    assert last(6) == pytest.approx(6)
    assert known.names == [("s", "k")]


@pytest.mark.parametrize(
    ("states", "state"),
    [
        ([], "idle"),
        (["idle", "dead"], "idle"),
        (["idle", "busy"], "busy"),
        (["restarting"], "busy"),
        (["unknown"], "busy"),
        ([None], "busy"),
    ],
)
def test_every_kernel_has_to_be_at_rest(states, state):
    found = [kernel(i, name=str(i), state=each) for i, each in enumerate(states)]
    known = Kernels("s", Ears())
    known.update(found)
    assert known.reading(found, Clock()).state == state


@pytest.mark.parametrize(("minutes", "state"), [(0, "busy"), (9, "busy"), (11, "idle")])
def test_a_kernel_that_nobody_connects_to_does_not_start_for_ever(minutes, state):
    at = datetime.now(UTC) - timedelta(minutes=minutes)
    found = [Kernel(id="k", last_activity=at, execution_state="starting")]
    known = Kernels("s", Ears())
    known.update(found)
    assert known.reading(found, Clock()).state == state


def test_a_listener_needs_an_ipykernel_of_this_machine(tmp_path):
    file = tmp_path / "kernel-abc.json"
    words = [b"python\0-m\0ipykernel_launcher\0-f\0" + bytes(file) + b"\0"]
    assert address_of(tmp_path, "abc", words) == ""
    file.write_text('{"transport": "tcp", "ip": "127.0.0.1", "iopub_port": 5, "key": "x"}')
    assert address_of(tmp_path, "abc", words) == "tcp://127.0.0.1:5"
    assert address_of(tmp_path, "abc", [b"R\0-e\0IRkernel::main()\0" + bytes(file)]) == ""
    assert address_of(tmp_path, "../abc", words) == ""
    file.write_text('{"ip": "192.0.2.1", "iopub_port": 5}')
    assert address_of(tmp_path, "abc", words) == ""
    file.write_text('{"transport": "ipc", "ip": "/x", "iopub_port": 5}')
    assert address_of(tmp_path, "abc", words) == "ipc:///x-5"
    file.write_text("{")
    assert address_of(tmp_path, "abc", words) == ""


def test_nobody_there_to_listen_to_is_never_taken_for_silence():
    listeners = Listeners()
    listeners.listen(("s", "k"), "tcp://127.0.0.1:1")
    assert listeners.get(("s", "k")).poll() == (False, None)
    assert listeners.get(("s", "k")).poll() == (False, None)
    listeners.listen(("s", "k"), "")
    assert listeners.get(("s", "k")) is None
    listeners.listen(("s", "k"), "no address")
    assert listeners.get(("s", "k")) is None
    listeners.close()


# Servers


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno", "status 500"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "closed without a valid"),
        (b"what?\r\n\r\n", "closed without a valid"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]", "closed without a valid"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "Expected `array`"),
        (b"", "closed without a valid"),
    ],
)
async def test_an_odd_answer_is_an_error(answer, error):
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        connection = await ServerConnection.open(Endpoint(host="127.0.0.1", port=port))
        with pytest.raises(Exception, match=error):
            await connection.get_json("api/kernels", list[Kernel])
        connection.close()


@pytest.mark.asyncio
async def test_an_answer_of_any_framing_is_read():
    answers = [
        b"Content-Length: 2\r\n\r\n[]",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
    ]
    answers += [b"\r\n[]"]  # it ends with the connection

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            asked = await reader.readuntil(b"\r\n\r\n")
            assert asked.startswith(b"GET /api/kernels?no_track_activity=1 HTTP/1.1\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n" + answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        connection = await ServerConnection.open(Endpoint(host="127.0.0.1", port=port))
        for _ in answers:
            assert await connection.get_json("api/kernels", list[Kernel]) == []
        with pytest.raises(ConnectionError):
            await connection.get_json("api/kernels", list[Kernel])


# Presence


def notebook(source: str, output: str = "", **cell: Any) -> str:
    cells = [{"cell_type": "code", "source": source, "outputs": [output], **cell}]
    return json.dumps({"cells": cells, "nbformat": 4})


def test_a_fingerprint_is_of_sources_only(tmp_path):
    def of(text: str) -> str:
        (tmp_path / "a.ipynb").write_text(text)
        return fingerprint(str(tmp_path), "a.ipynb")

    first = of(notebook("1", "printed"))
    assert first
    assert of(notebook("1", "printed more")) == first
    assert of(notebook(["1"])) == first
    assert of(notebook("2")) != first
    assert of(notebook("1", cell_type="markdown")) != first
    assert of("{") == of("[]") == ""


def test_only_files_of_the_folder_are_read(tmp_path):
    (tmp_path / "secret.ipynb").write_text(notebook("1"))
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "link.ipynb").symlink_to(tmp_path / "secret.ipynb")
    os.mkfifo(folder / "pipe.ipynb")
    for path in ("../secret.ipynb", "link.ipynb", "pipe.ipynb", "missing.ipynb", ".", "a\0b"):
        assert fingerprint(str(folder), path) == ""
    (folder / "good.ipynb").write_text(notebook("1"))
    assert fingerprint(str(folder), "/good.ipynb")


async def of_file(session: Session, path: str) -> str:
    return fingerprint(session.spec.folder, path)


@pytest.mark.asyncio
async def test_a_save_counts_if_the_cells_have_changed_or_cannot_be_compared(tmp_path):
    session = make_session("a", folder=str(tmp_path))
    known = Presence(Clock(), of_file)

    async def last(minutes: float, text: str = "") -> float | None:
        file = tmp_path / "a.ipynb"
        if text:
            file.write_text(text)
        saved = "a.ipynb" if text else ""
        await known.record(session, PresenceRequest(at=NOW + minutes * MINUTE, saved=saved))
        found = known.reading(session).last
        return found and round((found - NOW) / MINUTE)

    assert known.reading(session).last is None
    assert await last(1, notebook("1")) == 1  # there is nothing to compare it with
    assert await last(2, notebook("1", "printed")) == 1
    assert await last(3, notebook("2")) == 3
    assert await last(4, "{") == 4
    assert await last(5, "{") == 5
    assert await last(6) == 6
    assert await last(4) == 6  # it came late
    await known.record(session, PresenceRequest(at=datetime.now(UTC) + 60 * MINUTE))
    assert known.reading(session).last <= datetime.now(UTC)
    known.keep_only(())
    assert known.reading(session).last is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("seconds", "used"), [(-5, True), (5, False), (60, True), (575, False), (590, False)]
)
async def test_what_a_page_saves_before_the_end_is_nobodys_use(seconds, used):
    idle = Idleness(since=NOW, rule="idle_timeout", warned=NOW, acts=NOW + 10 * MINUTE)
    if seconds < 0:
        idle = msgspec.structs.replace(idle, warned=None)
    session = msgspec.structs.replace(make_session("a"), idle=idle)
    known, at = Presence(Clock(), of_file), NOW + timedelta(seconds=seconds)
    for path in ("a.ipynb", "a.py"):
        await known.record(session, PresenceRequest(at=at, saved=path))
    assert (known.reading(session).last is not None) == used


@pytest.mark.asyncio
async def test_presence_goes_by_the_clock_that_is_tried_with(tmp_path):
    clock = Clock(rate=60)
    known, session = Presence(clock, of_file), make_session("a")
    await known.record(session, PresenceRequest(at=datetime.now(UTC)))
    assert abs(known.reading(session).last - clock.now()) < timedelta(seconds=60)
