"""Writing the objects of a lake that is a folder: whole, and on its disk before that is said.

obstore, which reads such lakes, writes without fsync(2). Here a file is on the disk before it has
its name, so that no power failure leaves an object that is cut or empty. Until then it has a name
that obstore leaves out of its lists: `KEY#NUMBER`.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from ..disk.files import sync_path

_FILE = 0o664
_GROUP = 0o020
INCOMPLETE = re.compile(r"#\d+$")
"""The end of the name of a file that is not complete."""
_UNLINKED = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
"""What file systems answer that have no hard links."""


class FolderWriter:
    """Writes below a folder. All methods block, and raise OSError.

    Where the group may write the folder, it may write every folder that is made in it, whatever the
    umask is: accounts that share a lake put objects beside those of others.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._named: set[Path] = set()

    def write(self, key: str, body: bytes, *, replace: bool, durable: bool) -> bool:
        """Write an object; return False if it exists and is not to be replaced.

        The name of a `durable` one is on the disk, too; those of others are after the next `flush`.
        """
        path = self._root / key
        made = (replace or not path.exists()) and self._made(path, body, replace=replace)
        if durable:
            self._sync(path.parent)
        else:
            self._named.add(path.parent)
        return made

    def flush(self) -> None:
        """Write the names of all objects to the disk that were written, or found, by this one."""
        named, self._named = self._named, set()
        self._sync(*named)

    def removed(self, keys: Iterable[str]) -> None:
        """Write to the disk that some objects have been removed."""
        folders = {(self._root / key).parent for key in keys}
        self._sync(*filter(Path.is_dir, folders))

    def sweep(self, prefix: str, age: float) -> None:
        """Remove what writers that were killed so long ago have left incomplete below a prefix."""
        for path in (self._root / prefix).rglob("*#*"):
            with suppress(FileNotFoundError):  # it has just got its name
                if INCOMPLETE.search(path.name) and time.time() - path.stat().st_mtime >= age:
                    path.unlink()

    @cached_property
    def _mode(self) -> int:
        """The mode of the lake's folder."""
        return stat.S_IMODE(self._root.stat().st_mode)

    @property
    def _is_shared(self) -> bool:
        return bool(self._mode & _GROUP)

    def _made(self, path: Path, body: bytes, *, replace: bool) -> bool:
        """Write a file under another name, then give it its own; return whether that was free."""
        self._make(path.parent)
        new = path.with_name(f"{path.name}#{uuid.uuid4().int}")
        try:
            self._fill(new, body)
            return _moved(new, path) if replace else _linked(new, path)
        finally:
            new.unlink(missing_ok=True)

    def _make(self, folder: Path) -> None:
        """Make a folder of the lake, and those above it."""
        if folder.is_dir():
            return
        self._make(folder.parent)
        try:
            folder.mkdir()
        except FileExistsError:
            return  # another writer was faster
        if self._is_shared:
            folder.chmod(self._mode)

    def _fill(self, new: Path, body: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(new, flags, _FILE), "wb", buffering=0) as file:
            if self._is_shared:
                os.fchmod(file.fileno(), _FILE & self._mode)
            left = memoryview(body)
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())

    def _sync(self, *folders: Path) -> None:
        """Write to the disk what folders of the lake contain, and those that these are in."""
        every = {above for folder in folders for above in (folder, *folder.parents)}
        for folder in every:
            if folder.is_relative_to(self._root):
                sync_path(folder)


def _moved(new: Path, path: Path) -> bool:
    new.rename(path)
    return True


def _linked(new: Path, path: Path) -> bool:
    """Give a file its name unless that is taken; return whether it was free."""
    try:
        path.hardlink_to(new)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno in _UNLINKED:
            text = "its file system has no hard links"
            raise OSError(errno.ENOTSUP, text, str(path)) from error
        raise
    return True
