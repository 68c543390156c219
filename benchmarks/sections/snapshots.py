"""Snapshots of a folder beside restic, borg, rsync and cp, on one disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.processes import run_measured
from ..measuring.report import Report, Table, mb
from ..systems.data_tools import Words
from ..systems.snapshot_tools import OURS, Place, Tool, tools
from .datasets import Shape

TITLE = "snapshots, beside restic, borg, rsync --link-dest and cp -a"
STEPS = ("first", "second", "restore", "verify")
WRITTEN = ("written first", "written second")
PEERS = ("restic", "borg")
FILES = 100_000
ROOM = 4
"""How often the data has to fit on the disk."""
LEFT = 10_000_000_000
"""Bytes that stay free."""
PRIORITY = ("nice", "-n", "10", "ionice", "-c", "2", "-n", "7")
"""Our jobs give way to all other work; so do the other tools, to get the same of the machine."""
_BLOCK = 512

Taken = dict[str, float]


def measure(context: Context) -> Report:
    """Measure ours beside each other tool, with one folder of which one file in a hundred changes.

    Two tools take turns at each step, as the disk has no room for the stores of all. Chosen tools
    are measured one after the other, each by itself.
    """
    report = Report()
    shape = _shape(context)
    table = report.table(
        f"{shape.count:,} files, {mb(shape.total, 0)}, 1 % changed",
        "",
        *STEPS,
        *WRITTEN,
        *(f"{step}, processor" for step in STEPS),
    )
    found, missing = tools()
    ours, *others = found
    pairs: list[tuple[Tool, ...]] = [(ours, other) for other in others]
    alone = [(tool,) for tool in found if tool.name.startswith(context.tools)]
    taken = [measured(each, shape, table) for each in (alone if context.tools else pairs)]
    for package in missing:
        table.note(f"{package} is not installed: apt-get install {package}")
    table.note("restic encrypts and compresses what it stores, borg compresses it")
    for each in taken:
        for name in each:
            if OURS in each and name.startswith(PEERS):
                _judge(report, name, each)
    return report


def _shape(context: Context) -> Shape:
    """Return the files to store: as large as they fit on the disk, if not as large as wanted."""
    if context.quick:
        return Shape("snapshots", 2_000, 30_000)
    room = shutil.disk_usage(gettempdir()).free - LEFT
    size = min(30_000, max(room // ROOM // FILES // 1000 * 1000, 1000))
    return Shape("snapshots", FILES, size)


def measured(group: Sequence[Tool], shape: Shape, table: Table) -> dict[str, Taken]:
    """Let tools store one folder in turn, and add their rows; return what each step took."""
    taken: dict[str, Taken] = {tool.name: {} for tool in group}
    last = group[-1].name
    with TemporaryDirectory(prefix="gpuquota-bench-", dir=os.environ.get("TMPDIR")) as folder:
        sides = [
            Side(
                tool,
                Place(Path(folder, "data"), Path(folder, f"store-{n}"), Path(folder, f"work-{n}")),
                taken[tool.name],
            )
            for n, tool in enumerate(group)
        ]
        try:
            _steps(sides, shape)
        except CouldNotMeasure as problem:
            table.note(f"{last}: {problem}")
    for name in taken:
        _add(table, name if name == last else f"{name} (beside {last})", taken)
    return taken


def _add(table: Table, label: str, taken: dict[str, Taken]) -> None:
    """Add the row of one tool."""
    own = next(each for name, each in taken.items() if label.startswith(name))
    seconds = [f"{own[step]:.1f} s" if step in own else "" for step in STEPS]
    written = [mb(int(own[step]), 1) if step in own else "" for step in WRITTEN]
    worked = [f"{own[key]:.1f} s" if (key := _worked(step)) in own else "" for step in STEPS]
    table.add(label, *seconds, *written, *worked)


@dataclass(frozen=True)
class Side:
    """One tool at its place, and what its steps took."""

    tool: Tool
    place: Place
    taken: Taken

    def run(self, step: str, commands: list[Words]) -> None:
        """Run the commands of a step."""
        priority = () if self.tool.name == OURS else PRIORITY
        made = [run_measured([*priority, *words], self._variables()) for words in commands]
        if made:
            # Both count: what was written, and that it is on the disk.
            made.append(run_measured(["sync", "-f", str(self.place.work)], {}))
            self.taken[step] = sum(each.seconds for each in made)
            self.taken[_worked(step)] = sum(each.processor for each in made)

    def prepare(self) -> None:
        """Make an empty store."""
        self.place.work.mkdir()
        for words in self.tool.prepare(self.place):
            run_measured(words, self._variables())

    def take(self, number: int) -> None:
        """Take the first or the second snapshot."""
        before = _allocated(self.place.store)
        self.run(STEPS[number - 1], self.tool.take(self.place, number))
        self.taken[WRITTEN[number - 1]] = _allocated(self.place.store) - before

    def restore(self) -> None:
        """Restore the second snapshot, and remove what was restored."""
        self.run("restore", self.tool.restore(self.place))
        shutil.rmtree(self.place.restored())

    def verify(self) -> None:
        """Verify the second snapshot."""
        self.run("verify", self.tool.verify(self.place))

    def _variables(self) -> dict[str, str]:
        # Caches of tools, which the other one must not find.
        home = str(self.place.work)
        return {"HOME": home, "XDG_CACHE_HOME": f"{home}/home"}


def _steps(sides: list[Side], shape: Shape) -> None:
    """Let both sides take each step; who begins changes. Raises CouldNotMeasure."""
    folder = sides[0].place.data
    if shutil.disk_usage(folder.parent).free < (needed := ROOM * shape.total + LEFT // 2):
        raise CouldNotMeasure(f"{mb(needed, 0)} must be free on its disk")
    shape.write(folder)
    for side in sides:
        side.prepare()
    run_measured(["sync", "-f", str(folder)], {})
    for side in sides:
        side.take(1)
    shape.change(folder)
    for side in reversed(sides):
        side.take(2)
    shutil.rmtree(folder)
    for side in sides:
        side.restore()
    for side in reversed(sides):
        side.verify()


def _worked(step: str) -> str:
    return f"{step}, processor"


def _allocated(folder: Path) -> int:
    """Return the bytes that files and folders take on the disk; each inode once."""
    found = {}
    for path, _, names in os.walk(folder):
        for each in (path, *(f"{path}/{name}" for name in names)):
            stats = os.lstat(each)
            found[stats.st_ino] = stats.st_blocks * _BLOCK
    return sum(found.values())


def _judge(report: Report, name: str, taken: dict[str, Taken]) -> None:
    """Judge our steps: before another tool in each."""
    ours, its = taken[OURS], taken[name]
    for step in (*STEPS, *WRITTEN):
        if step not in ours or step not in its:
            continue
        shown = [
            mb(int(each[step]), 1) if step in WRITTEN else f"{each[step]:.1f} s"
            for each in (ours, its)
        ]
        report.judge(
            f"snapshots, {step}",
            f"{shown[0]}, {name} {shown[1]}",
            "before restic and borg",
            met=ours[step] <= its[step],
        )
