"""Connections to an API server by the product's own client, and caches that follow it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.connecting import connect
from jupyter_gpuquota.kubernetes.objects.meta import Object
from jupyter_gpuquota.kubernetes.resources import SECRETS
from jupyter_gpuquota.kubernetes.watching.cache import Cache
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from tests.kubernetes.api_contract import MINE
from tests.waiting import patience


@asynccontextmanager
async def connected(kubeconfig: Path) -> AsyncIterator[Api]:
    api = await connect(str(kubeconfig))
    try:
        yield api
    finally:
        await api.close()


@asynccontextmanager
async def watching(api: Api, *namespaces: str) -> AsyncIterator[tuple[Watches, Cache[Object]]]:
    watches = Watches(api, namespaces)
    cache = watches.cache(SECRETS, MINE)
    await watches.start()
    try:
        async with asyncio.timeout(patience()):
            await watches.ready()
        yield watches, cache
    finally:
        await watches.close()


def names(cache: Cache[Object]) -> set[str]:
    return {item.metadata.name for item in cache.values()}
