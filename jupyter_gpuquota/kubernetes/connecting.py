"""Connecting to a cluster."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from ..errors import Unavailable
from .connection.caller import Caller
from .connection.logins import Credentials, find
from .connection.rest import Rest

if TYPE_CHECKING:
    from .client import Client


async def connect(kubeconfig: str = "", context: str = "") -> Rest:
    """Return a connection with the credentials that are configured, or found.

    Raises Unavailable if there are none, or without the package `kubernetes`, and Fault if they
    cannot be loaded.
    """
    client = await asyncio.to_thread(_client, find(kubeconfig, context, os.environ))
    await client.open()
    return Rest(Caller(client), namespace=client.namespace)


def _client(credentials: Credentials) -> Client:
    try:
        from .client import Client  # noqa: PLC0415 (takes a second, and needs an optional package)
    except ImportError as error:
        raise Unavailable(
            f"The package `{error.name}` is not installed.",
            hint='Install it: pip install "jupyter_gpuquota[kubernetes]"',
        ) from None
    return Client(credentials)
