"""The files of a cluster's snapshot are streamed, and written as a whole or not at all."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from jupyter_gpuquota.client.snapshots.exporting import unpacked
from jupyter_gpuquota.control.inside import carrying
from jupyter_gpuquota.errors import (
    Conflict,
    GpuQuotaError,
    InvalidFields,
    OutcomeUnknown,
    Unavailable,
)
from jupyter_gpuquota.kubernetes.builders.copy_reader import COPIES
from jupyter_gpuquota.kubernetes.snapshots.reading.reader import _ARCHIVE
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotFiles

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
        part = next(self._parts)
        if isinstance(part, GpuQuotaError):
            raise part
        return part

    def close(self) -> None:
        self.closed = True


def archived(*words: str, base: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        carrying.command(_ARCHIVE, *words),
        env={**os.environ, COPIES: str(base)},
        capture_output=True,
        check=False,
    )


def write(archive: bytes, target: Path, **fields: Any) -> Job:
    return unpacked(cast("Any", Streamed(archive, **fields)), target)


def test_all_volumes_are_below_their_paths(tmp_path: Path) -> None:
    raw = os.fsdecode(b"caf\xe9")
    (tmp_path / "0" / "sub" / "none").mkdir(parents=True)
    (tmp_path / "0" / "inner").mkdir()  # where the session mounts the other volume
    (tmp_path / "0" / "lost+found").mkdir()
    (tmp_path / "0" / "run.sh").write_bytes(b"x" * 30_000)
    (tmp_path / "0" / "run.sh").chmod(0o755)
    (tmp_path / "0" / "sub" / raw).write_bytes(b"")
    (tmp_path / "0" / "out").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "0" / "pipe")
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "a.txt").write_text("a")
    made = archived("0", "work", "1", "work/inner", base=tmp_path)
    assert (made.returncode, made.stderr) == (0, b"")
    target = tmp_path / "new"
    assert write(made.stdout, target).folder == str(target)
    found = {str(each.relative_to(target)) for each in target.rglob("*")}
    inner = {"work/inner", "work/inner/a.txt", "work/sub", "work/sub/none", f"work/sub/{raw}"}
    assert found == {"work", "work/run.sh", "work/out", *inner}
    assert (target / "work" / "out").readlink() == Path("/etc/passwd")
    assert (target / "work" / "run.sh").read_bytes() == b"x" * 30_000
    assert os.access(target / "work" / "run.sh", os.X_OK)
    assert not os.access(target / "work" / "inner" / "a.txt", os.X_OK)


def test_a_file_that_cannot_be_read_ends_the_archive_and_is_named(tmp_path: Path) -> None:
    made = archived("gone", "work", base=tmp_path)
    assert made.returncode == 1
    assert b": No such file or directory" in made.stderr


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (OutcomeUnknown("The connection ended."), "before all files had come"),
        (Unavailable("The pod is gone."), "pod is gone"),
    ],
)
@pytest.mark.parametrize("length", [9_000, 100_000])
def test_a_stream_that_breaks_leaves_nothing(
    tmp_path: Path, end: GpuQuotaError, said: str, length: int
) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "a.txt").write_bytes(b"x" * 30_000)
    archive = archived("0", "work", base=tmp_path).stdout
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(Unavailable, match=said):
        write(archive[:length], into / "new", end=end)
    assert list(into.iterdir()) == []


def test_an_archive_that_is_too_short_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "a.txt").write_bytes(b"x" * 30_000)
    archive = archived("0", "work", base=tmp_path).stdout
    with pytest.raises(Unavailable, match="damaged"):
        write(archive[:9_000], tmp_path / "new")
    assert not (tmp_path / "new").exists()


def hostile(*members: tuple[str, str]) -> bytes:
    """Return an archive of files, and of links by their targets."""
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as archive:
        for name, target in members:
            info = tarfile.TarInfo(name)
            if target:
                info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info, io.BytesIO())
    return body.getvalue()


@pytest.mark.parametrize(
    "members",
    [
        [("../out", "")],
        [("/out", "")],
        [("a/../../out", "")],
        [("a", "/tmp"), ("a/out", "")],  # noqa: S108 (never written to)
        [("a", ""), ("a", "")],
        [("a", ""), ("a/b", "")],
    ],
)
def test_nothing_is_written_elsewhere(tmp_path: Path, members: list[tuple[str, str]]) -> None:
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(Conflict, match="nothing was written"):
        write(hostile(*members), into / "new")
    assert list(tmp_path.iterdir()) == [into]
    assert list(into.iterdir()) == []


def test_only_a_new_folder_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for target in ("there", "gone/new"):
        with pytest.raises(InvalidFields):
            write(b"", tmp_path / target)
