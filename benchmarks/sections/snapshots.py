"""Snapshots of a folder beside restic, borg, rsync and cp, on one disk."""

from __future__ import annotations

import os
import shutil
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
    """Measure every tool with one folder, of which one file in a hundred changes."""
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
    taken = {tool.name: _turn(tool, shape, table) for tool in found}
    for package in missing:
        table.note(f"{package} is not installed: apt-get install {package}")
    table.note("restic encrypts and compresses what it stores, borg compresses it")
    _judge(report, taken)
    return report


def _shape(context: Context) -> Shape:
    """Return the files to store: as large as they fit on the disk, if not as large as wanted."""
    if context.quick:
        return Shape("snapshots", 2_000, 30_000)
    room = shutil.disk_usage(gettempdir()).free - LEFT
    size = min(30_000, max(room // ROOM // FILES // 1000 * 1000, 1000))
    return Shape("snapshots", FILES, size)


def _turn(tool: Tool, shape: Shape, table: Table) -> Taken:
    """Let one tool do everything, and add its row."""
    with TemporaryDirectory(prefix="gpuquota-bench-", dir=os.environ.get("TMPDIR")) as folder:
        place = Place(Path(folder, "data"), Path(folder, "store"), Path(folder, "work"))
        place.work.mkdir()
        taken: Taken = {}
        try:
            _steps(tool, shape, place, taken)
        except CouldNotMeasure as problem:
            table.note(f"{tool.name}: {problem}")
    seconds = [f"{taken[step]:.1f} s" if step in taken else "" for step in STEPS]
    written = [mb(int(taken[step]), 1) if step in taken else "" for step in WRITTEN]
    worked = [f"{taken[key]:.1f} s" if (key := _worked(step)) in taken else "" for step in STEPS]
    table.add(tool.name, *seconds, *written, *worked)
    return taken


def _steps(tool: Tool, shape: Shape, place: Place, taken: Taken) -> None:
    """Note what each step took. Raises CouldNotMeasure."""
    if shutil.disk_usage(place.work).free < (needed := ROOM * shape.total + LEFT // 2):
        raise CouldNotMeasure(f"{mb(needed, 0)} must be free on its disk")
    variables = {
        # Caches of tools, which the next one must not find.
        "HOME": str(place.work),
        "XDG_CACHE_HOME": str(place.work / "home"),
    }

    priority = () if tool.name == OURS else PRIORITY

    def run(step: str, commands: list[Words]) -> None:
        if commands:
            # Both count: what was written, and that it is on the disk.
            flush = ["sync", "-f", str(place.work)]
            made = [run_measured([*priority, *words], variables) for words in [*commands, flush]]
            taken[step] = sum(each.seconds for each in made)
            taken[_worked(step)] = sum(each.processor for each in made)

    shape.write(place.data)
    for words in tool.prepare(place):
        run_measured(words, variables)
    run_measured(["sync", "-f", str(place.work)], variables)
    run("first", tool.take(place, 1))
    taken["written first"] = first = _allocated(place.store)
    shape.change(place.data)
    run("second", tool.take(place, 2))
    taken["written second"] = _allocated(place.store) - first
    run("restore", tool.restore(place))
    run("verify", tool.verify(place))


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


def _judge(report: Report, taken: dict[str, Taken]) -> None:
    """Judge our steps: before restic and borg in each."""
    ours = taken.get(OURS, {})
    for step in (*STEPS, *WRITTEN):
        others = {
            name: each[step]
            for name, each in taken.items()
            if name.startswith(PEERS) and step in each
        }
        if step not in ours or not others:
            continue
        best = min(others, key=others.__getitem__)
        unit = mb(int(others[best]), 1) if step in WRITTEN else f"{others[best]:.1f} s"
        own = mb(int(ours[step]), 1) if step in WRITTEN else f"{ours[step]:.1f} s"
        report.judge(
            f"snapshots, {step}",
            f"{own}, {best} {unit}",
            "before restic and borg",
            met=ours[step] <= others[best],
        )
