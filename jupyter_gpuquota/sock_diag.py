"""TCP connections of this machine and the bytes that they moved, asked of the kernel.

`sock_diag(7)` is what `ss -ti` asks: one question for all connections, which needs no privileges.
The kernel does not count the bytes of UDP and of unix sockets.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_SOCK_DIAG = 4
"""The netlink family NETLINK_SOCK_DIAG."""
_BY_FAMILY, _DONE, _ERROR = 20, 3, 2
_REQUEST_DUMP = 0x301
_WITH_INFO, _INFO = 1 << 1, 2
_LISTEN = 10
_ALL = 0xFFF & ~(1 << 3 | 1 << 6)
"""All states but SYN_RECV and TIME_WAIT, which no process holds."""

_HEAD = struct.Struct("=IHHII")
_ASK = struct.Struct("=BBBBI48s")
_SOCKET = struct.Struct("=BBxx2s2s16s16s12x4xI4xII")
_ATTRIBUTE = struct.Struct("=HH")
_BYTES = struct.Struct("=QQ")
_BYTES_AT = 120
"""Where `tcp_info` has the bytes that were acknowledged and received (linux/tcp.h, 4.2)."""
_MAPPED = bytes(10) + b"\xff\xff"
"""How IPv4 addresses begin in IPv6."""
_SECONDS = 2.0
_BLOCK = 65_536

Address = tuple[bytes, int]
"""An address, and a port."""


@dataclass(frozen=True, slots=True)
class Connection:
    """One TCP socket; `inode` is by what processes hold it.

    `sent` are the bytes that the other side has acknowledged, `received` those that a program has
    read: where it is slower than the network, many wait for it. `listens` is whether it accepts
    others.
    """

    inode: int
    uid: int
    local: Address
    remote: Address
    sent: int
    received: int
    listens: bool


def connections() -> list[Connection]:
    """Return all TCP sockets of this network namespace. Raises OSError."""
    return [each for family in (socket.AF_INET, socket.AF_INET6) for each in _ask(family)]


def _ask(family: int) -> Iterator[Connection]:
    raw = socket.SOCK_RAW | socket.SOCK_CLOEXEC
    with socket.socket(socket.AF_NETLINK, raw, _SOCK_DIAG) as asked:
        asked.settimeout(_SECONDS)
        body = _ASK.pack(family, socket.IPPROTO_TCP, _WITH_INFO, 0, _ALL, bytes(48))
        asked.send(_HEAD.pack(_HEAD.size + len(body), _BY_FAMILY, _REQUEST_DUMP, 0, 0) + body)
        while True:
            block = asked.recv(_BLOCK)
            for kind, message in _messages(block):
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    number = -struct.unpack_from("=i", message)[0]
                    raise OSError(number, os.strerror(number), "sock_diag")
                yield _read(family, message)


def _messages(block: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + _HEAD.size <= len(block):
        size, kind, *_ = _HEAD.unpack_from(block, at)
        yield kind, block[at + _HEAD.size : at + size]
        at += (size + 3) & ~3


def _read(family: int, message: bytes) -> Connection:
    _, state, *ends, unread, uid, inode = _SOCKET.unpack_from(message)
    source, target, local, remote = ends
    sent, received = _moved(message)
    return Connection(
        inode=inode,
        uid=uid,
        local=(_plain(family, local), int.from_bytes(source)),
        remote=(_plain(family, remote), int.from_bytes(target)),
        sent=sent,
        received=max(0, received - unread),
        listens=state == _LISTEN,
    )


def _moved(message: bytes) -> tuple[int, int]:
    """Return the bytes that a socket sent and received; 0 if the kernel does not tell."""
    at = _SOCKET.size
    while at + _ATTRIBUTE.size <= len(message):
        size, kind = _ATTRIBUTE.unpack_from(message, at)
        if kind == _INFO and size >= _ATTRIBUTE.size + _BYTES_AT + _BYTES.size:
            sent, received = _BYTES.unpack_from(message, at + _ATTRIBUTE.size + _BYTES_AT)
            return sent, received
        at += max((size + 3) & ~3, _ATTRIBUTE.size)
    return 0, 0


def _plain(family: int, address: bytes) -> bytes:
    """Return an address as it is in IPv4, if it is one."""
    if family == socket.AF_INET:
        return address[:4]
    return address.removeprefix(_MAPPED)
