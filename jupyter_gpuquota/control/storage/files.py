"""Atomic writes of the controller's files, with errors for users."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from ...errors import StorageFailed
from ...store.disk.cures import cure
from ...store.disk.files import sync_path


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the system's refusal to write into StorageFailed."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be written: {error.strerror or error}.",
            hint=f"{cure(error)}; then try again.",
        ) from error


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


def sync_folder(path: Path) -> None:
    """Flush renames in a folder to disk. Raises OSError."""
    sync_path(path)
