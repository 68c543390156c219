"""Writes a streamed archive as a client does, and kills itself at a certain step.

    python -m tests.kubernetes.exported STEP ARCHIVE TARGET

Steps are counted as in `tests.jobs.killed`, below the folder of TARGET.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from jupyter_gpuquota.client.snapshots.export import unpacked
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotFiles
from tests.jobs.killed import Steps

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DONE = SnapshotFiles(job=Job(id="4f1c", kind="restore", state="done", started=NOW, updated=NOW))


class Streamed:
    """The parts of an archive, and how the stream ends."""

    def __init__(self, archive: bytes, end: SnapshotFiles | GpuQuotaError = DONE) -> None:
        self._parts = self._cut(archive, end)
        self.closed = False

    def _cut(
        self, archive: bytes, end: SnapshotFiles | GpuQuotaError
    ) -> Iterator[SnapshotFiles | GpuQuotaError]:
        yield SnapshotFiles()
        for start in range(0, len(archive), 700):
            yield SnapshotFiles(data=archive[start : start + 700])
        yield end

    def next(self) -> SnapshotFiles:
        """Return the next part, or raise the error at the end."""
        part = next(self._parts)
        if isinstance(part, GpuQuotaError):
            raise part
        return part

    def close(self) -> None:
        """Note that nothing more is read."""
        self.closed = True


def write(archive: bytes, target: Path, **fields: Any) -> Job:
    """Write an archive to a new folder."""
    return unpacked(cast("Any", Streamed(archive, **fields)), target)


def main(argv: Sequence[str]) -> int:
    """Write the archive in a file; return the exit code."""
    step, archive, target = argv
    body, steps = Path(archive).read_bytes(), Steps(int(step), str(Path(target).parent))
    sys.addaudithook(steps)
    write(body, Path(target))
    print(steps.count)  # noqa: T201 (the test reads it)
    return 0
