"""Unix sockets with paths of any length, created atomically, and their peers."""

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
from ..http1 import connect_unix
from ..unix_paths import short

CONNECT_TIMEOUT = 10.0
"""Seconds for a listener to accept a connection."""

_BACKLOG = 512


@dataclass(frozen=True, slots=True)
class Peer:
    """The process at the other end of a socket and its account, according to the kernel."""

    pid: int
    uid: int
    account: str


def peer_of(connection: socket.socket) -> Peer:
    """Return the process at the other end of a socket (SO_PEERCRED)."""
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    pid, uid, _ = struct.unpack("3i", credentials)
    try:
        return Peer(pid, uid, getpwuid(uid).pw_name)
    except KeyError:  # an account that this machine has no name for
        return Peer(pid, uid, str(uid))


def groups_of(peer: Peer) -> frozenset[str]:
    """Return the names of the account's groups that this machine knows."""
    try:
        found = os.getgrouplist(peer.account, getpwuid(peer.uid).pw_gid)
    except KeyError:
        return frozenset()
    return frozenset(filter(None, map(_group_name, found)))


def _group_name(gid: int) -> str:
    try:
        return getgrgid(gid).gr_name
    except KeyError:
        return ""


def is_own(peer: Peer) -> bool:
    """Return whether an account is this process's own, or root."""
    return peer.uid in {os.getuid(), 0}


def bind(path: Path) -> socket.socket:
    """Listen on a path, and replace a file there; the path appears once it accepts connections.

    Only this account may connect (mode 0600). Raises OSError.
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

    Raises OSError if nothing listens, TimeoutError (an OSError, too) if the listener does not
    accept, NotAllowed if another account listens.
    """
    async with asyncio.timeout(timeout):
        stream = await connect_unix(path)
    try:
        _check_own(peer_of(stream.socket), path)
    except BaseException:
        stream.close()
        raise
    return stream


def _check_own(listener: Peer, path: Path) -> None:
    if not is_own(listener):
        raise NotAllowed(
            f"{path} belongs to a process of {listener.account}, not of your account.",
            hint="Name a state folder of your own in GpuQuota.state_dir.",
        )
