"""Start a program that can only read some folders: standard library only.

`python -I -S read_only.py FOLDER… -- PROGRAM…` enters a mount namespace of its own, in a user
namespace where the account may not mount by itself, mounts each folder over itself read-only, and
becomes the program. See user_namespaces(7) and mount_namespaces(7). Where the kernel refuses that,
the program starts nevertheless, and its log says so.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_NEW_NAMESPACE, _NEW_USER = 0x0002_0000, 0x1000_0000  # CLONE_NEWNS, CLONE_NEWUSER
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x4_0000  # MS_BIND, MS_REC, MS_PRIVATE
_REMOUNT, _READ_ONLY = 0x20, 0x1  # MS_REMOUNT, MS_RDONLY
_KEPT = {os.ST_NOSUID: 0x2, os.ST_NODEV: 0x4, os.ST_NOEXEC: 0x8, os.ST_NOATIME: 0x400}
"""Flags of a mount that a user namespace may not take away, by those of statvfs(3)."""


def enter(folders: list[str]) -> None:
    """Enter namespaces in which these folders are read-only. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    _call(libc.unshare(_NEW_NAMESPACE | _NEW_USER))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _call(libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None))
    for folder in folders:
        path = os.fsencode(folder)
        _call(libc.mount(path, path, None, _BIND | _RECURSIVE, None))
        found = os.statvfs(folder).f_flag
        kept = sum(flag for known, flag in _KEPT.items() if found & known)
        _call(libc.mount(b"none", path, None, _REMOUNT | _BIND | _READ_ONLY | kept, None))


def main(words: list[str]) -> None:
    """Do so with a command line, and become its program. Raises OSError if there is none."""
    end = words.index("--")
    folders, program = words[:end], words[end + 1 :]
    try:
        enter(folders)
    except OSError as error:
        text = f"The kernel does not allow read-only mounts ({error.strerror}): "
        sys.stderr.write(text + f"{', '.join(folders)} can be written.\n")
        sys.stderr.flush()
    os.execvp(program[0], program)  # noqa: S606 (what the session's request names)


def _call(result: int) -> None:
    """Raise OSError if a call of the C library has failed."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main(sys.argv[1:])
