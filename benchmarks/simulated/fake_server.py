"""A fake session: a Jupyter Server with two kernels that print continuously.

    python benchmarks/simulated/fake_server.py RUNTIME BASE_URL

It is small, so that hundreds of them fit on one machine. Existing files name the ports at which its
kernels publish; its two children look like kernels and sleep.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path


def _kernels(names: list[str]) -> bytes:
    now = datetime.now(UTC).isoformat()
    found = [
        {
            "id": name,
            "name": "python3",
            "last_activity": now,
            "execution_state": "idle",
            "connections": 1,
        }
        for name in names
    ]
    return json.dumps(found).encode()


async def main(runtime: Path, base: str) -> None:
    """Serve until the end."""
    names = [path.stem.removeprefix("kernel-") for path in runtime.glob("kernel-*.json")]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                request = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            body = _kernels(names) if b"api/kernels" in request else b"[]"
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    for name in names:
        words = [f"python -m ipykernel_launcher -f {runtime}/kernel-{name}.json", "100000"]
        os.posix_spawn(  # noqa: ASYNC221 (it returns at once, before any request)
            "/bin/sleep", words, os.environ
        )
    port = server.sockets[0].getsockname()[1]
    note = {"pid": os.getpid(), "port": port, "base_url": base, "token": "t"}
    (runtime / "new.json").write_text(json.dumps(note))
    (runtime / "new.json").rename(runtime / f"jpserver-{os.getpid()}.json")
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
