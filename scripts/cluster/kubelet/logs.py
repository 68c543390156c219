"""A container's log in the format of the CRI, which KWOK serves."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

LINES, BYTES = 80, 2048
"""The most of a log that is a termination message.

https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
"""


async def write_log(output: asyncio.StreamReader, stream: str, file: BinaryIO) -> None:
    """Copy lines with their time and `stdout` or `stderr`, until the output ends."""
    while line := await output.readline():
        time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")
        whole = line if line.endswith(b"\n") else line + b"\n"
        file.write(f"{time} {stream} F ".encode() + whole)
        file.flush()


def last_lines(path: Path) -> str:
    """Return the end of a log without times: as much as a kubelet puts into a status."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-LINES:]
    text = "\n".join(line.split(" ", 3)[3] for line in lines)
    return text.encode()[-BYTES:].decode(errors="ignore")
