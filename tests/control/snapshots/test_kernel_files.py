"""A kernel writes the variables of a snapshot before the process begins that stores them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.capture import Maker
from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.model.snapshots.orders import SnapshotOrder
from jupyter_gpuquota.ports.charge import NotInCharge
from tests.jobs.snapshots.taken import order

pytestmark = pytest.mark.asyncio

WANTED = replace(order(Path("/work")), variables=("weights", "lacking"), notebook="a.ipynb")


class Begun:
    """What a maker has asked for, and the order with which the process began."""

    def __init__(self, *problems: Exception) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.put: list[SnapshotOrder] = []
        self.started: SnapshotOrder | None = None
        self._problems = list(problems)
        self.maker = Maker(
            cast("Any", None),
            cast("Any", SimpleNamespace(put=self._put, path=str)),
            cast("Any", SimpleNamespace(start=self._start)),
            *cast("Any", (None, None, None, None, None)),
        )
        self.maker.variables = cast("Any", SimpleNamespace(write=self._write))

    async def _write(self, *words: Any) -> dict[str, str]:
        self.asked.append(words)
        if self._problems:
            raise self._problems.pop(0)
        return {"lacking": "There is no such variable."}

    async def _put(self, order: SnapshotOrder) -> None:
        self.put.append(order)

    async def _start(self, order: SnapshotOrder, _file: str, _lake: str) -> None:
        self.started = order


async def test_the_process_is_given_the_file_that_the_kernel_has_written() -> None:
    begun = Begun(NotInCharge("Another controller is."))
    await begun.maker.again(WANTED)
    assert begun.started
    dump = begun.started.dump
    assert (len(dump), begun.put) == (32, [begun.started])
    words = (WANTED.draft.session, ("weights", "lacking"), "a.ipynb", dump)
    assert begun.asked == [words, words], "again, once it is in charge"


async def test_without_an_answer_everything_else_is_stored() -> None:
    begun = Begun(WrongState("The kernel is busy.", hint="Wait."))
    await begun.maker.again(WANTED)
    assert begun.started
    [problem] = begun.started.draft.problems
    assert (problem.part, problem.message) == ("kernel", "The kernel is busy.")
    assert (begun.started.variables, begun.started.dump) == ((), "")
    assert begun.put == [begun.started]


async def test_what_was_written_already_is_not_asked_for() -> None:
    for wanted in (replace(WANTED, dump="0" * 32), replace(WANTED, variables=())):
        begun = Begun()
        await begun.maker.again(wanted)
        assert (begun.asked, begun.put, begun.started) == ([], [], wanted)
