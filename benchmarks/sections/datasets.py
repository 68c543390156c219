"""Versions of data in one S3 server: ours, and tools that people use for that."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.s3 import servers

from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.processes import Ran, run_measured
from ..measuring.report import Report, Table, mb
from ..systems.data_tools import Cell, Tool, Words, tools

TITLE = "versions of datasets, beside dvc, rclone, s5cmd and aws s3 sync"
CHANGED = 100
"""One file in so many changes before the second sync."""
ROOM = 6
"""How often the data has to fit on the disk."""
WITHIN = 1.10
STEPS = ("sync", "second sync", "cache", "second version", "verify")
OURS = "jupyter_gpuquota"


@dataclass(frozen=True)
class Shape:
    """Files of random bytes: their number, and the size of each."""

    name: str
    count: int
    size: int

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return self.count * self.size

    def write(self, folder: Path) -> None:
        """Write all files; a hundred in each folder."""
        rng = random.Random(self.name)  # noqa: S311 (no secret)
        for number in range(self.count):
            self._write(folder, number, rng)

    def change(self, folder: Path) -> int:
        """Rewrite one file in a hundred, and at least one; return their bytes."""
        rng = random.Random(f"{self.name} changed")  # noqa: S311 (no secret)
        numbers = range(0, self.count, CHANGED)
        for number in numbers:
            self._write(folder, number, rng)
        return len(numbers) * self.size

    def _write(self, folder: Path, number: int, rng: random.Random) -> None:
        path = folder / f"{number // 100:04}" / f"{number:07}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            left = self.size
            while left:
                left -= file.write(rng.randbytes(min(left, 8 << 20)))


def shapes(context: Context) -> tuple[Shape, Shape]:
    """Return the small and the large files."""
    if context.quick:
        return Shape("small", 3_000, 3_000), Shape("large", 2, 100_000_000)
    if context.full:
        return Shape("small", 200_000, 3_000), Shape("large", 20, 500_000_000)
    return Shape("small", 50_000, 3_000), Shape("large", 8, 250_000_000)


def measure(context: Context) -> Report:
    """Measure every tool with every shape; what a tool has made is wiped after its turn."""
    report = Report()
    found, missing = tools()
    for shape in shapes(context):
        title = f"{shape.count:,} files of {mb(shape.size, 3 if shape.size < 1e6 else 0)}"
        table = report.table(title, "", *STEPS, "MB/s up", "MB/s down", "peak memory", "requests")
        taken = {tool.name: _turn(tool, shape, table) for tool in found}
        for name, why in missing.items():
            table.note(f"{name} could not be installed: {why}")
        _judge(report, shape, taken)
    return report


def _turn(tool: Tool, shape: Shape, table: Table) -> dict[str, Ran]:
    """Let one tool do everything, add its row, and return what each step took."""
    with (
        TemporaryDirectory(prefix="gpuquota-bench-", dir=_disk()) as folder,
        _place(Path(folder), shape) as (cell, log),
    ):
        ran: dict[str, Ran] = {}
        try:
            _steps(tool, shape, cell, ran)
        except CouldNotMeasure as problem:
            table.note(f"{tool.name}: {problem}")
        requests = sum(1 for _ in log.open("rb")) if log.exists() else 0
    seconds = [f"{ran[step].seconds:.1f} s" if step in ran else "" for step in STEPS]
    speeds = [
        f"{shape.total / ran[step].seconds / 1e6:.0f}" if step in ran else ""
        for step in ("sync", "cache")
    ]
    memory = mb(max((each.memory for each in ran.values()), default=0), 0)
    table.add(tool.name, *seconds, *speeds, memory, f"{requests:,}")
    return ran


def _steps(tool: Tool, shape: Shape, cell: Cell, ran: dict[str, Ran]) -> None:
    variables = {
        **servers.environment(cell.endpoint),
        # Caches and settings of tools, which the next one must not find.
        "HOME": str(cell.work),
        "XDG_CACHE_HOME": str(cell.work / "home"),
        "S3_ENDPOINT_URL": cell.endpoint,
        "DVC_NO_ANALYTICS": "1",
    }

    def run(step: str, commands: list[Words]) -> None:
        made = [run_measured(words, variables) for words in commands]
        if made:
            seconds = sum(each.seconds for each in made)
            ran[step] = Ran(seconds, max(each.memory for each in made), made[-1].said)

    shape.write(cell.data)
    for words in tool.prepare(cell):
        run_measured(words, variables)
    cell.cache.mkdir(parents=True)
    run("sync", tool.sync(cell))
    tool.note(cell, ran["sync"].said)
    # What is fetched counts once it is on the disk: some tools wait for that, others do not.
    flush = ["sync", "--file-system", str(cell.cache)]
    # Fetched before the change, because the peers know the last version only.
    run("cache", [*tool.cache(cell), flush])
    shape.change(cell.data)
    run("second sync", tool.sync(cell))
    tool.note(cell, ran["second sync"].said)
    run("second version", [*tool.again(cell), flush])
    run("verify", tool.verify(cell))


@contextmanager
def _place(folder: Path, shape: Shape) -> Iterator[tuple[Cell, Path]]:
    """Start a server with an empty bucket; return a cell, and the server's log of requests."""
    free = shutil.disk_usage(folder).free
    if free < ROOM * shape.total:
        raise CouldNotMeasure(f"{mb(ROOM * shape.total, 0)} are needed on the disk of {folder}")
    buckets, log = folder / "buckets", folder / "requests"
    (buckets / "bench").mkdir(parents=True)
    (folder / "repository" / "data").mkdir(parents=True)
    with servers.versitygw(buckets, folder / "log", requests=log) as endpoint:
        yield Cell(folder / "repository" / "data", folder / "work", "bench", endpoint), log


def _disk() -> str | None:
    """Return where to work: on a disk, as /tmp may be memory."""
    return os.environ.get("TMPDIR")


def _judge(report: Report, shape: Shape, taken: dict[str, dict[str, Ran]]) -> None:
    """Judge our steps: the first for small files and second versions, else within 10 %."""
    for step in STEPS:
        others = {
            name: ran[step].seconds for name, ran in taken.items() if name != OURS and step in ran
        }
        if step not in taken.get(OURS, {}) or not others:
            continue
        ours = taken[OURS][step].seconds
        best = min(others, key=partial(others.__getitem__))
        first = shape.name == "small" or step == "second version"
        report.judge(
            f"datasets, {shape.name} files, {step}",
            f"{ours:.1f} s, {best} {others[best]:.1f} s",
            "the first" if first else "within 10 % of the first",
            met=ours <= others[best] * (1 if first else WITHIN),
        )
