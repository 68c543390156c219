"""Unix sockets: paths of any length, no moment half-made, and who is at the other end."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from grp import getgrgid
from pathlib import Path
from pwd import getpwuid

from tornado.iostream import IOStream

from ..errors import NotAllowed
from ..hosting.unix import short

CONNECT_TIMEOUT = 10.0
"""Seconds that a listener has to take a connection."""

_BACKLOG = 512
_BUSY_PAUSE = 0.01


@dataclass(frozen=True, slots=True)
class Account:
    """The account of the process at the other end of a socket, as the kernel names it."""

    uid: int
    name: str


def peer_account(connection: socket.socket) -> Account:
    """Return whose process has connected (SO_PEERCRED)."""
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, uid, _ = struct.unpack("3i", credentials)
    try:
        return Account(uid, getpwuid(uid).pw_name)
    except KeyError:  # an account that only a container or directory service knows
        return Account(uid, str(uid))


def groups_of(account: Account) -> frozenset[str]:
    """Return the names of the groups that an account is in, as far as this machine knows them."""
    try:
        found = os.getgrouplist(account.name, getpwuid(account.uid).pw_gid)
    except KeyError:
        return frozenset()
    return frozenset(filter(None, map(_group_name, found)))


def _group_name(gid: int) -> str:
    try:
        return getgrgid(gid).gr_name
    except KeyError:
        return ""


def is_own(account: Account) -> bool:
    """Return whether an account may see what is ours: this process's own, and root."""
    return account.uid in {os.getuid(), 0}


def bind(path: Path) -> socket.socket:
    """Listen on a path, replacing what was there; it appears only once it can answer.

    Only the own account may connect (mode 0600). Raises OSError.
    """
    made = path.with_name(f".{path.name}.{os.getpid()}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.settimeout(0)
        with suppress(FileNotFoundError):
            made.unlink()
        with short(made) as address:
            listener.bind(address)
        made.chmod(0o600)
        listener.listen(_BACKLOG)
        made.rename(path)
    except OSError:
        listener.close()
        raise
    return listener


async def connect(path: Path, timeout: float = CONNECT_TIMEOUT) -> IOStream:
    """Connect to a path within `timeout` seconds.

    Raises OSError where nobody listens, TimeoutError (an OSError, too) where a listener takes no
    connection, NotAllowed where another account listens.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(0)
    try:
        with short(path) as address:
            async with asyncio.timeout(timeout):
                await _connect(connection, address)
        _check_own(peer_account(connection), path)
    except BaseException:
        connection.close()
        raise
    return IOStream(connection)


async def _connect(connection: socket.socket, address: str) -> None:
    """Connect as soon as the listener has room: unix sockets refuse where TCP would wait."""
    while True:
        try:
            return connection.connect(address)
        except BlockingIOError:
            await asyncio.sleep(_BUSY_PAUSE)


def _check_own(listener: Account, path: Path) -> None:
    if not is_own(listener):
        raise NotAllowed(
            f"Whoever listens on {path} is {listener.name}, not you.",
            hint="Name a state folder of your own in GpuQuota.state_dir.",
        )
