"""Addresses of unix sockets, and the folders that are short enough for them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LONGEST = 107
"""Maximum length of a socket's path, in bytes."""
_NAME = 16
"""Bytes for the name of a socket in a folder of sockets."""
_SHORT = Path("/tmp")  # noqa: S108 (each folder in it is private, and new)
"""Where folders of sockets are that are too long elsewhere; `$XDG_RUNTIME_DIR` goes at logout."""


def folder_for(wanted: Path) -> Path:
    """Return the path of a folder for sockets: the wanted one, or a new one that is shorter.

    Make it with `make_private`.
    """
    if len(os.fsencode(wanted)) + 1 + _NAME <= _LONGEST:
        return wanted
    return _SHORT / f"gpuq-{os.getuid()}-{secrets.token_hex(6)}"


def make_private(folder: Path) -> None:
    """Make a new folder that only this account can open. Raises OSError if there is one."""
    folder.mkdir(mode=0o700)
    folder.chmod(0o700)  # whatever the umask and the rules of the folder above are


@contextmanager
def short(path: Path) -> Iterator[str]:
    """Yield an address of at most 107 bytes for a path of any length."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
