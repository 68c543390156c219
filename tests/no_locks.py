"""Run a Python program as on a file system without locks: `python -m tests.no_locks ENOLCK -c …`.

A filter of system calls (seccomp) answers every request for a lock with an error, as the kernel
does for NFS without lockd (ENOLCK), and for some FUSE file systems (EOPNOTSUPP, ENOSYS).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

_NUMBERS = {"x86_64": (72, 73), "aarch64": (25, 32)}
"""The system calls `fcntl` and `flock`."""
_CMD = 24  # the offset of the second argument
_LOCKS = (6, 7, 37, 38)  # F_SETLK and F_SETLKW, and those of open file descriptions
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000


def refuse_locks(number: int) -> None:
    """Let each lock that this process and its children take end in an error."""
    fcntl, flock = _NUMBERS[platform.machine()]
    count = len(_LOCKS)
    steps = [
        (_LOAD, 0, 0, 0),
        (_EQUAL, count + 3, 0, flock),
        (_EQUAL, 0, count + 1, fcntl),
        (_LOAD, 0, 0, _CMD),
        *((_EQUAL, count - i, 0, cmd) for i, cmd in enumerate(_LOCKS)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERROR | number),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


if __name__ == "__main__":
    refuse_locks(getattr(errno, sys.argv[1]))
    os.execv(sys.executable, [sys.executable, *sys.argv[2:]])  # noqa: S606 (no shell is wanted)
