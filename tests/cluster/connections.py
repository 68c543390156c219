"""The end of connections: an event loop must not close before they have."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.waiting import wait_for


async def all_ended() -> None:
    """Wait until the running event loop has no connection any more.

    aiohttp leaves the end of TLS connections to the loop: it waits for the other side, and that is
    busy now and then.
    """
    loop: Any = asyncio.get_running_loop()
    own = loop._ssock.fileno()

    def others() -> list[Any]:
        return [key for fd, key in loop._selector.get_map().items() if fd != own]

    await wait_for(lambda: not others(), lambda: f"connections are open: {others()}")
