"""Find the processes that listen on a port, by the kernel's socket tables."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..shim import procfs

_ADDRESSES = {
    "127.0.0.1": ("127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "::"),  # noqa: S104 (compared)
    "::1": ("::1", "::"),
}
"""The addresses whose sockets take a connection to a loopback address, the closest first."""

_LISTEN = "0A"
"""The state of a socket that listens (include/net/tcp_states.h)."""

Sockets = Mapping[str, frozenset[str]]
"""The sockets that take a connection, by loopback address, as `/proc/PID/fd` names them."""


class Holder(NamedTuple):
    """A listening process, by pid and start time, and the file descriptor of its socket."""

    pid: int
    ticks: int
    number: str

    def host(self, sockets: Sockets) -> str:
        """Return the address at which it still listens, empty if it does not."""
        stat = procfs.read_stat(self.pid)
        if stat is None or stat.ticks != self.ticks or not _is_own(self.pid):
            return ""
        return _host(_target(Path(f"/proc/{self.pid}/fd/{self.number}")), sockets)


def listening_sockets(port: int) -> Sockets:
    """Return the sockets that accept connections to a port on loopback."""
    found: dict[str, set[str]] = {}
    for address, name in _listening(port):
        found.setdefault(address, set()).add(name)
    closest = {
        host: next((found[address] for address in addresses if address in found), set())
        for host, addresses in _ADDRESSES.items()
    }
    return {host: frozenset(names) for host, names in closest.items() if names}


def holder(pid: int, sockets: Sockets) -> Holder | None:
    """Return the listening socket that a process holds, None if it holds none."""
    stat = procfs.read_stat(pid)
    try:
        held = {_target(entry): entry.name for entry in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:  # it has ended, or belongs to another account
        return None
    taking = [held[name] for names in sockets.values() for name in names if name in held]
    return Holder(pid, stat.ticks, taking[0]) if stat and taking else None


def listens(pid: int, port: int) -> str:
    """Return the loopback address at which a process listens on a port, empty if it does not."""
    found = listening_sockets(port)
    held = holder(pid, found)
    return held.host(found) if held else ""


def ports_of(pids: Iterable[int]) -> tuple[int, ...]:
    """Return the TCP ports at which processes listen, on any address, sorted."""
    ports = {name: port for _, port, name in _sockets()}
    found = set()
    for pid in pids:
        with suppress(OSError):  # it has ended, or belongs to another account
            names = {_target(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
            found |= {ports[name] for name in names & ports.keys()}
    return tuple(sorted(found))


def _is_own(pid: int) -> bool:
    """Return whether a process belongs to our account, also after it changed its user."""
    try:
        return procfs.owner_of(pid) == os.geteuid()
    except OSError:  # it has ended
        return False


def _host(name: str, sockets: Sockets) -> str:
    return next((host for host, names in sockets.items() if name in names), "")


def _target(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except OSError:
        return ""


def _listening(port: int) -> Iterator[tuple[str, str]]:
    """Yield address and name of the sockets that listen on a port."""
    for address, _, name in _sockets(f":{port:04X}"):
        yield _address(address), name


def _sockets(wanted: str = ":") -> Iterator[tuple[str, int, str]]:
    """Yield address, port and name of the sockets that listen (proc(5), /proc/net/tcp).

    `wanted` is how the port begins after a colon, in hexadecimal digits.
    """
    for table in ("tcp", "tcp6"):
        try:
            lines = Path("/proc/net", table).read_text(encoding="ascii").splitlines()[1:]
        except FileNotFoundError:  # a kernel without IPv6
            continue
        for line in lines:
            if wanted not in line:  # most are connections of others
                continue
            fields = line.split(maxsplit=10)
            address, _, port = fields[1].partition(":")
            if fields[3] == _LISTEN and f":{port}".startswith(wanted):
                yield address, int(port, 16), f"socket:[{fields[9]}]"


def _address(digits: str) -> str:
    """Decode an address that the kernel wrote as 32-bit words in the machine's byte order."""
    words = [int(digits[at : at + 8], 16) for at in range(0, len(digits), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    return socket.inet_ntop(socket.AF_INET if len(words) == 1 else socket.AF_INET6, packed)
