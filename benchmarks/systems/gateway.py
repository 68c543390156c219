"""Jupyter's own way to kernels elsewhere: a server that is the gateway client of another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .server import Server, jupyterlab
from .workplace import Workplace

UNLIMITED = "--ZMQChannelsWebsocketConnection.limit_rate=False"
"""Else a server drops output of more than 1 MB/s."""


@contextmanager
def gateway_client(here: Workplace, there: Workplace) -> Iterator[Server]:
    """Start a JupyterLab whose kernels run in another one."""
    with (
        jupyterlab(there, UNLIMITED) as target,
        jupyterlab(
            here,
            f"--GatewayClient.url=http://127.0.0.1:{target.port}",
            f"--GatewayClient.auth_token={target.token}",
        ) as server,
    ):
        yield server
