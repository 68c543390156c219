"""Pulling an image, which is only played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

MISSING = "missing.test/"
"""Images of this registry cannot be pulled."""
SLOW = "slow.test/"
"""Images of this registry take a while to pull."""
PULL_SECONDS = 3.0
RETRY_SECONDS = 2.0
"""Shorter than a real kubelet's."""


async def failures(image: str) -> AsyncIterator[tuple[str, str]]:
    """Yield reason and sentence of each failed attempt to pull an image; end once it is there."""
    if image.startswith(SLOW):
        await asyncio.sleep(PULL_SECONDS)
    while image.startswith(MISSING):
        yield "ErrImagePull", f'Failed to pull image "{image}": not found'
        await asyncio.sleep(RETRY_SECONDS / 2)
        yield "ImagePullBackOff", f'Back-off pulling image "{image}"'
        await asyncio.sleep(RETRY_SECONDS / 2)
