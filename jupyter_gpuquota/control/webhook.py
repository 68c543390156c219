"""Post messages about idle sessions to a webhook, in Slack's format.

The address is a secret, because knowing it suffices to post. It is never logged or shown.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest

_log = logging.getLogger(__name__)
_PAUSES = (0.0, 2.0, 20.0)
"""Seconds before each attempt."""
_SECONDS = 10.0
_WAITING = 100
"""Maximum number of messages that wait to be posted."""


def check_address(address: str) -> None:
    """Raise ValueError if messages cannot, or must not, be posted to an address.

    The error's text shows nothing of the address.
    """
    if not re.fullmatch(r"[!-~]+", address):
        raise ValueError("it contains characters that are invalid in a URL")
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("it is not a URL") from None
    if not host:
        raise ValueError("it has no host")
    if "@" in parts.netloc:
        raise ValueError("it contains a user name")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        raise ValueError("it must begin with https://, or with http:// on this machine")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Webhook:
    """Posts messages to an address, empty for none. `trouble` is the last error, empty if none."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._tasks: set[asyncio.Task[None]] = set()
        self.trouble = ""

    def post(self, texts: Iterable[str]) -> None:
        """Post each text in the background. Texts beyond the maximum are dropped, and logged."""
        for text in texts if self._address else ():
            if len(self._tasks) >= _WAITING:
                _log.warning("The webhook is too slow; not posted: %s", text)
                continue
            task = asyncio.create_task(self._post(text))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Cancel posts in progress."""
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
                self.trouble = f"The webhook does not respond: {error.strerror or 'no connection'}."
            except ValueError:  # its text may show the address
                self.trouble = "The webhook's address is unusable."
            else:
                self.trouble = ""
                return
        _log.warning("%s Not posted: %s", self.trouble, text)
