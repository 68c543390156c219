"""The state folder of a controller: made, owned and accessible by its account only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ...errors import NotAllowed, StorageFailed
from ...store.disk.cures import cure


def make_state_folder(path: Path) -> None:
    """Make a state folder with mode 0700, or check its owner and restrict its mode.

    Raises:
        StorageFailed: it cannot be made or changed.
        NotAllowed: it belongs to another account.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.stat()
        if found.st_uid != os.geteuid():
            raise NotAllowed(
                f"The state folder {path} belongs to another account.",
                hint="Choose another one with GpuQuota.state_dir.",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise unusable(path, error) from error


def unusable(path: Path, error: OSError) -> StorageFailed:
    """Return the error of a state folder in which something cannot be made."""
    return StorageFailed(
        f"The state folder {path} cannot be used: {error.strerror}.",
        hint=f"{cure(error)}, or choose another one with GpuQuota.state_dir.",
    )
