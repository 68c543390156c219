"""What writes copies of volumes as one tar archive to its output, in a pod.

The arguments are pairs: a folder below that of the variable `GPUQUOTA_COPIES`, and the path that it
gets in the archive. Links are written as links; sockets, pipes and devices are left out.
"""

from __future__ import annotations

import os
import stat
import sys
import tarfile
from typing import Iterator  # noqa: UP035 (Python 3.8 in sessions)

_KEPT_BY_EXT4 = "lost+found"


def main() -> None:
    """Write the archive; a file that cannot be read ends it, and is named."""
    base = os.environ["GPUQUOTA_COPIES"]
    try:
        with tarfile.open(
            mode="w|",
            fileobj=sys.stdout.buffer,
            format=tarfile.PAX_FORMAT,
            encoding="utf-8",
            errors="surrogateescape",
        ) as archive:
            for folder, path in zip(sys.argv[1::2], sys.argv[2::2]):  # noqa: B905 (Python 3.8)
                add(archive, os.path.realpath(f"{base}/{folder}"), path)
        sys.stdout.flush()
    except OSError as error:
        said = f"{error.filename or 'The archive'}: {error.strerror or error}"
        sys.exit(said.encode(errors="backslashreplace").decode())


def add(archive: tarfile.TarFile, root: str, path: str) -> None:
    """Add the folder `root` with all that is below it as `path`. Raises OSError."""
    archive.addfile(_folder(path))
    for entry in _walk(root, _KEPT_BY_EXT4):
        _add(archive, entry, f"{path}/{os.path.relpath(entry.path, root)}")


def _walk(folder: str, skipped: str = "") -> Iterator[os.DirEntry[str]]:
    """Yield what is in a folder at any depth, of folders only those that are empty.

    Raises OSError.
    """
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda each: os.fsencode(each.name))
    for entry in entries:
        if entry.name == skipped:
            continue
        empty = True
        if entry.is_dir(follow_symlinks=False):
            for inner in _walk(entry.path):
                empty = False
                yield inner
        if empty:
            yield entry


def _add(archive: tarfile.TarFile, entry: os.DirEntry[str], path: str) -> None:
    if entry.is_symlink():
        link = tarfile.TarInfo(path)
        link.type, link.linkname = tarfile.SYMTYPE, os.readlink(entry.path)  # noqa: PTH115
        archive.addfile(link)
    elif entry.is_dir(follow_symlinks=False):
        archive.addfile(_folder(path))
    elif entry.is_file(follow_symlinks=False):
        opened = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(opened, "rb") as file:
            found, info = os.fstat(opened), tarfile.TarInfo(path)
            info.size, info.mtime = found.st_size, int(found.st_mtime)
            info.mode = 0o755 if found.st_mode & stat.S_IXUSR else 0o644
            archive.addfile(info, file)


def _folder(path: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path)
    info.type, info.mode = tarfile.DIRTYPE, 0o755
    return info
