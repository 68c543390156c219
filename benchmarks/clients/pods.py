"""Decode a list of pods in one way, and print what it cost: `python -m benchmarks.clients.pods`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from kubernetes.aio.client import ApiClient

from benchmarks.measuring.memory import forget_peak, peak, resident
from jupyter_gpuquota.kubernetes.api import Request
from jupyter_gpuquota.kubernetes.connection.decoding import Page, change, decoded, lines
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.watching.cache import Cache

CHUNK = 2**16
"""Bytes that a socket gives at once."""


def main() -> None:
    """Decode the file of the second argument in the way of the first."""
    way, path = sys.argv[1:]
    body = Path(path).read_bytes()
    pid = os.getpid()
    forget_peak(pid)
    before, began = resident(pid), time.process_time()
    count = WAYS[way](body)
    print(
        json.dumps(
            {
                "count": count,
                "seconds": time.process_time() - began,
                "bytes": peak(pid) - before,
            }
        )
    )


def _official(body: bytes) -> int:
    found = asyncio.run(_typed(body))
    return len(found.items)


async def _typed(body: bytes) -> Any:
    async with ApiClient() as client:
        return client.deserialize(body.decode(), "V1PodList", "application/json")


def _list(body: bytes) -> int:
    return len(decoded(Page[Pod], body, Request()).items)


def _watch(body: bytes) -> int:
    return asyncio.run(_cached(body))


async def _cached(body: bytes) -> int:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), CHUNK):
            yield body[start : start + CHUNK]

    cache, fresh = Cache[Pod](), {}
    async for line in lines(pieces()):
        item = change(Pod, line, Request()).object
        if item is not None:
            fresh[item.key] = item
    cache.replace("", fresh)
    return len(cache.values())


WAYS: dict[str, Callable[[bytes], int]] = {"official": _official, "list": _list, "watch": _watch}

if __name__ == "__main__":
    main()
