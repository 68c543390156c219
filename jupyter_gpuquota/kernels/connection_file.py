"""Connection files of kernels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import zmq

from ..errors import WrongState

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel's connection file."""

    shell_port: int
    control_port: int
    stdin_port: int
    iopub_port: int
    hb_port: int
    ip: str = "127.0.0.1"
    transport: str = "tcp"
    key: str = ""
    signature_scheme: str = "hmac-sha256"
    curve_publickey: str = ""
    curve_secretkey: str = ""

    @property
    def ports(self) -> frozenset[int]:
        """The numbers of its sockets."""
        return frozenset(
            (self.shell_port, self.control_port, self.stdin_port, self.iopub_port, self.hb_port)
        )

    @property
    def is_open_to_the_machine(self) -> bool:
        """Whether every account of this machine, and no other machine, can connect."""
        is_loopback = self.ip.startswith("127.") or self.ip in {"localhost", "::1"}
        return self.transport == "tcp" and is_loopback and not self.curve_secretkey

    def address(self, port: int) -> str:
        """Return the address of one of its ports."""
        between = "-" if self.transport == "ipc" else ":"
        return f"{self.transport}://{self.ip}{between}{port}"

    def encrypt(self, socket: zmq.Socket[Any], *, server: bool) -> None:
        """Let a socket use the keys of a kernel that asks its clients for them (CurveZMQ)."""
        if not self.curve_secretkey:
            return
        socket.curve_secretkey = self.curve_secretkey.encode()
        socket.curve_publickey = self.curve_publickey.encode()
        if server:
            socket.curve_server = True
        else:
            socket.curve_serverkey = self.curve_publickey.encode()


def read_connection(path: Path) -> Connection:
    """Return a kernel's connection file. Raises WrongState if it is missing or half written."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Connection)
    except (OSError, msgspec.DecodeError) as error:
        raise WrongState(
            f"The kernel's connection file {path.name} cannot be read.",
            hint="It may have just ended; restart the kernel.",
        ) from error


def connection_of(runtime: str, kernel: str) -> Connection:
    """Return the connection file of a kernel in a session's runtime folder. Raises WrongState."""
    name = kernel if _ID.fullmatch(kernel) else "-"
    return read_connection(Path(runtime, f"kernel-{name}.json"))
