"""Messages about idle sessions by a webhook, for those who are away; in Slack's format.

The address is a secret: whoever knows it may post. It is never logged or shown.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest

_log = logging.getLogger(__name__)
_PAUSES = (0.0, 2.0, 20.0)
"""Seconds before each attempt."""
_SECONDS = 10.0
_WAITING = 100
"""Most messages that wait for an address that does not answer."""


class Webhook:
    """Post messages to an address, empty for none. `trouble` says what went wrong last."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._tasks: set[asyncio.Task[None]] = set()
        self.trouble = ""

    def tell(self, texts: Iterable[str]) -> None:
        """Post each text, beside all else. Texts beyond what can wait are dropped, and logged."""
        for text in texts if self._address else ():
            if len(self._tasks) >= _WAITING:
                _log.warning("The webhook is too slow; not told: %s", text)
                continue
            task = asyncio.create_task(self._post(text))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Give up what was not posted yet."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _post(self, text: str) -> None:
        request = HTTPRequest(
            self._address,
            method="POST",
            headers={"Content-Type": "application/json"},
            body=json.dumps({"text": text}),
            request_timeout=_SECONDS,
            follow_redirects=False,
        )
        for pause in _PAUSES:
            await asyncio.sleep(pause)
            try:
                await AsyncHTTPClient().fetch(request)
            except HTTPClientError as error:
                self.trouble = f"The webhook refuses messages: {error.code} {error.message}."
            except OSError as error:
                self.trouble = f"The webhook does not answer: {error.strerror or 'no connection'}."
            else:
                self.trouble = ""
                return
        _log.warning("%s Not told: %s", self.trouble, text)
