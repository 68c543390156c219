"""The way from the API server to pods: an HTTP CONNECT proxy on a Unix socket.

Pods have made-up addresses. The proxy connects to the loopback port that the pod's annotation
names instead, and refuses everything else, so that no packet leaves the machine. Connections to
loopback itself (KWOK's port, webhooks, the visibility API) pass.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from .labels import FORWARD
from .rest import Refused, Rest

CHUNK = 65_536


class Egress:
    """The proxy; `rest` looks pods up."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    async def start(self, socket: Path) -> asyncio.Server:
        """Listen on a socket."""
        return await asyncio.start_unix_server(self._serve, socket)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            port = await self._port_of(head.split(maxsplit=2)[1].decode())
            upstream = await asyncio.open_connection("127.0.0.1", port)
        except (OSError, Refused, LookupError, ValueError, asyncio.IncompleteReadError) as error:
            print(f"egress: {error}", file=sys.stderr, flush=True)
            writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            writer.close()
            return
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_copy(reader, upstream[1]), _copy(upstream[0], writer))

    async def _port_of(self, target: str) -> int:
        """Return the loopback port of a target. Raises LookupError if it has none."""
        host, _, port = target.rpartition(":")
        if host == "localhost" or host.startswith("127."):
            return int(port)
        query = {"fieldSelector": f"status.podIP={host.strip('[]')}"}
        pods = await asyncio.to_thread(self._rest.get, "/api/v1/pods", **query)
        found = [real for pod in pods["items"] if (real := forwards(pod).get(int(port)))]
        if not found:
            raise LookupError(f"no pod listens on {target}")
        return found[0]


def forwards(pod: Any) -> dict[int, int]:
    """Return the real port of each port of a pod."""
    text: str = pod["metadata"].get("annotations", {}).get(FORWARD, "")
    pairs = (entry.split("=") for entry in text.split(",") if entry)
    return {int(port): int(real) for port, real in pairs}


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    except ConnectionError as error:
        print(f"egress: {error}", file=sys.stderr, flush=True)
    finally:
        writer.close()
