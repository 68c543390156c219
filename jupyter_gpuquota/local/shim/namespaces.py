"""Start a program with the read-only folders of a session: standard library only.

`python -I -S namespaces.py mount FOLDER… -- PROGRAM…` enters a mount namespace of its own, in a
user namespace where the account may not mount by itself, mounts each folder over itself read-only,
and becomes the program. Where the kernel refuses that, the program starts nevertheless, and its log
says so. `python -I -S namespaces.py enter PID TICKS -- PROGRAM…` becomes a program in the
namespaces of a process, which is known by its pid and its start time in clock ticks. See
user_namespaces(7) and mount_namespaces(7).
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
_KINDS = {"user": _NEW_USER, "mnt": _NEW_NAMESPACE}
"""Namespaces in the order in which they are entered: the first one gives the right to the next."""
_NOT_ALLOWED, _NOT_FOUND = 126, 127


def protect(folders: list[str]) -> None:
    """Enter namespaces in which these folders are read-only. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    # In a user namespace, root would lose its rights over files of other accounts.
    if user or libc.unshare(_NEW_NAMESPACE):
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


def enter(pid: int, ticks: int) -> None:
    """Enter the namespaces of a process, in the same working folder. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    folder = Path.cwd()
    opened = {kind: os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in _KINDS}
    # What was opened belongs to this process, and not to a later one with its pid.
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    if int(fields[19]) != ticks:
        raise ProcessLookupError(0, "it has ended")
    for kind, number in _KINDS.items():
        if not os.path.samestat(os.fstat(opened[kind]), os.stat(f"/proc/self/ns/{kind}")):  # noqa: PTH116 (beside fstat)
            _call(libc.setns(opened[kind], number))
    os.chdir(folder)


def main(words: list[str]) -> int:
    """Do so with a command line, and become its program; return why not, as shells do."""
    end = words.index("--")
    verb, *rest = words[:end]
    program = words[end + 1 :]
    if verb == "enter":
        try:
            enter(int(rest[0]), int(rest[1]))
        except OSError as error:
            return _failed(f"the session cannot be entered: {error.strerror}", _NOT_ALLOWED)
    else:
        try:
            protect(rest)
        except OSError as error:
            text = f"The kernel does not allow read-only mounts ({error.strerror}): "
            sys.stderr.write(text + f"{', '.join(rest)} can be written.\n")
            sys.stderr.flush()
    try:
        os.execvp(program[0], program)  # noqa: S606 (what the session's request names)
    except OSError as error:
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_ALLOWED
        return _failed(f"{program[0]}: {error.strerror}", code)


def _failed(text: str, code: int) -> int:
    sys.stderr.write(f"{text}\n")
    return code


def _call(result: int) -> None:
    """Raise OSError if a call of the C library has failed."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
