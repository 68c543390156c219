"""The files of a cluster's snapshot are streamed, and written as a whole or not at all."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import tarfile
from pathlib import Path

import pytest

from jupyter_gpuquota.control.inside import carrying
from jupyter_gpuquota.errors import (
    Conflict,
    GpuQuotaError,
    InvalidFields,
    OutcomeUnknown,
    Unavailable,
)
from jupyter_gpuquota.kubernetes.builders.copy_reader import COPIES
from jupyter_gpuquota.kubernetes.snapshots.export import _ARCHIVE
from jupyter_gpuquota.store.processes import Room
from tests.jobs.forks import Forks
from tests.kubernetes.exported import write
from tests.store.living import listing


def archived(*words: str, base: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        carrying.command(_ARCHIVE, *words),
        env={**os.environ, COPIES: str(base)},
        capture_output=True,
        check=False,
    )


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


def test_a_command_that_is_killed_at_any_step_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    source, into, archive = tmp_path / "source", tmp_path / "into", tmp_path / "archive"
    for folder in (source / "0" / "sub", into):
        folder.mkdir(parents=True)
    for name in ("a.txt", "sub/b.txt"):
        (source / "0" / name).write_bytes(name.encode() * 500)
    (source / "0" / "sub" / "latest").symlink_to("b.txt")
    archive.write_bytes(archived("0", "work", base=source).stdout)
    target, expected = into / "new", listing(source / "0")
    forks = Forks("tests.kubernetes.exported")
    try:
        done = forks.run(0, archive, target)
        assert (done.code, listing(target / "work")) == (0, expected), done.said
        steps = int(done.said)
        for step in range(1, steps + 1):
            shutil.rmtree(target)
            done = forks.run(step, archive, target)
            assert done.code == -signal.SIGKILL, done.said
            if target.exists():  # it was killed after the files were complete
                assert listing(target / "work") == expected, step
                target.rename(into / "other")
            assert forks.run(0, archive, target).code == 0
            assert listing(target / "work") == expected, step
            shutil.rmtree(into / "other", ignore_errors=True)
            assert list(into.iterdir()) == [target], step
    finally:
        forks.close()
    assert steps > 8


def test_what_another_command_is_writing_stays(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    target, prefix = tmp_path / "new", ".new.exporting-"
    other = Room(tmp_path / f"{prefix}1", prefix)
    write(archived("0", "work", base=tmp_path).stdout, target)
    assert other.place.is_dir()
    other.close()


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
