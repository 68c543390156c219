"""Files of the controller's: written whole or not at all, with errors that users understand."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..errors import NotAllowed, StorageFailed


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the system's refusal to write into StorageFailed."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be written: {error.strerror or error}.",
            hint="Free some space there, or give the account the right to write; then try again.",
        ) from error


def private_folder(path: Path) -> None:
    """Make a folder of the controller's for the account alone, or check that it is.

    Raises:
        NotAllowed: it belongs to another account.
        OSError: it cannot be made or changed.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.stat()
    if found.st_uid != os.geteuid():
        raise NotAllowed(
            f"The state folder {path} belongs to another account.",
            hint="Name another one in GpuQuota.state_dir.",
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(0o700)


def write_file(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all, for the account alone.

    Raises OSError. The shim has one of its own: it is a program that imports nothing of ours.
    """
    new = path.with_name(f".{path.name}.new")
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.rename(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
