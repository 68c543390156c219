"""What people can do about errors of files."""

from __future__ import annotations

import errno

FULL = {errno.ENOSPC, errno.EDQUOT}
NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}
_CURES = (
    (FULL, "Free space on its disk"),
    ({errno.EROFS}, "Mount its file system for writing"),
    ({errno.EACCES, errno.EPERM}, "Give this account the right to write there"),
    (NO_LOCKS, "Its file system has no locks: mount it with them (NFS: start lockd)"),
    ({errno.EBUSY}, "End the process that has locked it (fuser names it)"),
)


def cure(error: OSError) -> str:
    """Return what to do about an error of files, without a full stop."""
    for numbers, text in _CURES:
        if error.errno in numbers:
            return text
    return "Check its disk or mount"
