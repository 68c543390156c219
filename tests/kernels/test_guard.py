"""Relays that are started with ports, which every account of the machine can reach."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import zmq

from jupyter_gpuquota.kernels.connection_file import Connection
from jupyter_gpuquota.kernels.front import Front
from jupyter_gpuquota.sock_diag import connections
from scripts.ports import free_ports
from tests.shell import wait_for

ACCOUNT = 65534

STRANGER = """
import os, sys
import zmq
account, port = map(int, sys.argv[1:])
os.setgid(account)
os.setuid(account)
socket = zmq.Context().socket(zmq.SUB)
socket.subscribe = b""
socket.connect(f"tcp://127.0.0.1:{port}")
print(socket.recv_multipart(), flush=True)
"""


@contextmanager
def listener(port: int) -> Iterator[zmq.Socket[Any]]:
    """Subscribe as this account."""
    with zmq.Context() as context, context.socket(zmq.SUB) as socket:
        socket.linger = 0
        socket.subscribe(b"")
        socket.connect(f"tcp://127.0.0.1:{port}")
        yield socket


def published(front: Front, socket: zmq.Socket[Any]) -> bool:
    """Publish an output, and return whether it arrives."""
    list(front.requests(front.sockets))
    front.publish("stream", {"name": "stdout", "text": "SECRET"})
    return bool(socket.poll(50)) and b"SECRET" in b"".join(socket.recv_multipart())


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become someone else")
def test_another_account_hears_nothing_and_delays_ours_only_while_it_is_there() -> None:
    ports = free_ports(("shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"))
    port = ports["iopub_port"]
    front = Front(Connection(key="secret", **ports))

    def is_connected() -> bool:
        return any(each.uid == ACCOUNT and each.remote[1] == port for each in connections())

    command = [sys.executable, "-c", STRANGER, str(ACCOUNT), str(port)]
    try:
        with (
            listener(port) as first,
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as stranger,
        ):
            wait_for(lambda: published(front, first))
            try:
                wait_for(lambda: is_connected() or stranger.poll() is not None)
                for _ in range(20):
                    published(front, first)
                    time.sleep(0.02)
            finally:
                stranger.kill()
            assert stranger.stdout
            assert not stranger.stdout.read()
            with listener(port) as second:
                wait_for(lambda: published(front, second))
    finally:
        front.close()
