"""Whether a container is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

TIMEOUT = 5.0


async def is_ready(container: Mapping[str, Any], ports: Mapping[int, int]) -> bool:
    """Return what the readiness probe says; without one, whether the first port answers at all."""
    probe = container.get("readinessProbe", {})
    try:
        if get := probe.get("httpGet"):
            return await _get(ports[_number(get["port"], container)], get)
        if socket := probe.get("tcpSocket"):
            return await _connect(ports[_number(socket["port"], container)])
        return await _connect(next(iter(ports.values()))) if ports else True
    except (OSError, TimeoutError):
        return False


def _number(port: int | str, container: Mapping[str, Any]) -> int:
    """Return the number of a port that may be given by its name."""
    if isinstance(port, int):
        return port
    found: int = next(p["containerPort"] for p in container["ports"] if p.get("name") == port)
    return found


async def _connect(port: int) -> bool:
    async with asyncio.timeout(TIMEOUT):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()
    return True


async def _get(port: int, get: Mapping[str, Any]) -> bool:
    """Return whether a GET is answered with a status below 400."""
    headers = "".join(f"{one['name']}: {one['value']}\r\n" for one in get.get("httpHeaders", []))
    request = f"GET {get.get('path', '/')} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n"
    async with asyncio.timeout(TIMEOUT):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(request.encode())
            line = await reader.readline()
        finally:
            writer.close()
    status = int(line.split()[1]) if line else HTTPStatus.BAD_GATEWAY
    return HTTPStatus.OK <= status < HTTPStatus.BAD_REQUEST
