"""Where a connection file has keys, only clients with the keys receive anything."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import zmq
from msgspec.structs import replace

from jupyter_gpuquota.kernels.channels.direct import DirectChannels
from jupyter_gpuquota.kernels.channels.port import ChannelsLost
from jupyter_gpuquota.kernels.connection_file import Connection
from jupyter_gpuquota.kernels.front import Front
from tests.waiting import wait_for


async def test_a_stranger_without_the_keys_hears_nothing(tmp_path: Path) -> None:
    public, secret = zmq.curve_keypair()
    connection = Connection(
        **{
            f"{name}_port": at
            for at, name in enumerate(("shell", "control", "stdin", "iopub", "hb"))
        },
        ip=str(tmp_path / "k"),
        transport="ipc",
        key="a key",
        curve_publickey=public.decode(),
        curve_secretkey=secret.decode(),
    )
    context = zmq.Context()
    front = Front(connection)
    client = DirectChannels(connection, context)
    plain = replace(connection, curve_publickey="", curve_secretkey="")
    stranger = DirectChannels(plain, context)
    heard: list[str] = []

    def hears() -> bool:
        list(front.requests(front.sockets))
        front.publish("stream", {"name": "stdout", "text": "SECRET"})
        while message := client.receive():
            heard.append(message.kind)
        return "stream" in heard

    try:
        await wait_for(hears)
        with suppress(ChannelsLost):  # it is refused
            assert stranger.receive() is None
    finally:
        for each in (client, stranger, front):
            each.close()
        context.destroy(linger=0)
