"""Store, compare and verify many files: `python -m tests.storms.lake.million FOLDER COUNT`.

It prints what that took. Only the walk of a folder is left out: the disk would be measured.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from jupyter_gpuquota.store import manifest
from jupyter_gpuquota.store.entries import Entry, Location, compare
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.packs import Packer
from jupyter_gpuquota.store.processes import leave
from jupyter_gpuquota.store.upload import spool
from jupyter_gpuquota.store.verify import Verification

SIZE = 20
PACKED = 20_000


def body(number: int) -> bytes:
    return b"%020d" % number


async def stored(lake: Objects, count: int) -> tuple[str, int]:
    """Store a version of files whose contents all differ; return its id and its manifest's size."""
    packer = Packer()
    with spool() as entries:
        for start in range(0, count, PACKED):
            numbers = range(start, min(start + PACKED, count))
            hashes = [hashlib.sha256(body(number)).hexdigest() for number in numbers]
            for number, sha256 in zip(numbers, hashes, strict=True):
                packer.add(sha256, body(number))
            pack = packer.finish()
            assert pack is not None
            await lake.create(layout.pack(pack.sha256), pack.body)
            for number, held in zip(numbers, pack.held, strict=True):
                entry = Entry(f"train/{number // 1000:04}/{number:09}", "100644", SIZE, held.sha256)
                entries.add(entry, Location(pack=pack.sha256, offset=held.offset))
        version, encoded = manifest.encode(entries)
    await lake.create(layout.manifest(version), encoded)
    return version, len(encoded)


def peak() -> int:
    """Return the most memory of this program; `getrusage` would include what forked it."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) << 10


async def main(folder: Path, count: int) -> dict[str, object]:
    """Do it, and return seconds, bytes and the process's peak memory."""
    (folder / "lake").mkdir()
    lake = connect(f"file://{folder}/lake")
    started = time.monotonic()
    version, size = await stored(lake, count)
    written = time.monotonic()
    encoded = await lake.get(layout.manifest(version))

    def listed() -> Iterator[Entry]:
        return (entry for entry, _ in manifest.decode([encoded], version))

    assert not list(compare(listed(), listed()))
    compared = time.monotonic()
    check = Verification(lake, lambda _: None)
    bad = [each async for each in check.run(manifest.decode([encoded], version))]
    assert not bad
    return {
        "entries": count,
        "manifest": size,
        "peak": peak(),
        "seconds": {
            "write": round(written - started, 1),
            "compare": round(compared - written, 1),
            "verify": round(time.monotonic() - compared, 1),
        },
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))))  # noqa: T201 (the test reads it)
    leave(0)
