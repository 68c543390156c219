"""Whether other people use this machine, too."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..shim import procfs

_PEOPLE = 1000
"""The first uid of people (login.defs)."""
_SERVICES = range(61_184, 65_536)
"""Uids of services (systemd) and of nobody."""
_NO_SHELLS = ("nologin", "false", "sync")


def is_shared(own: int) -> bool:
    """Return whether a person of another uid can log in here, or has a process."""
    others = {each.pw_uid for each in pwd.getpwall() if _is_home(each)}
    return any(uid != own for uid in _people({*others, *_owners()}))


def _people(uids: Iterable[int]) -> list[int]:
    return [uid for uid in uids if uid >= _PEOPLE and uid not in _SERVICES]


def _is_home(account: pwd.struct_passwd) -> bool:
    shell = Path(account.pw_shell or "/bin/sh").name
    return shell not in _NO_SHELLS and os.path.isdir(account.pw_dir)  # noqa: PTH112 (it may be empty)


def _owners() -> Iterable[int]:
    for pid in procfs.pids():
        with suppress(OSError):  # it has ended
            yield procfs.owner_of(pid)
