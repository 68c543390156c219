"""The dataset of the demo: small pictures of shapes, in two versions.

`make lab` runs this beside JupyterLab. It does nothing if the dataset is there, or if the backend
has no datasets.
"""

from __future__ import annotations

import csv
import random
import struct
import sys
import tempfile
import zlib
from pathlib import Path

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import GpuQuotaError, NameTaken, NotAllowed, Unsupported

NAME = "shapes"
SIZE = 32
INSIDE = {
    "circle": lambda x, y: x * x + y * y < 0.6,
    "diamond": lambda x, y: abs(x) + abs(y) < 0.9,
    "square": lambda x, y: max(abs(x), abs(y)) < 0.7,
    "star": lambda x, y: abs(x) ** 0.5 + abs(y) ** 0.5 < 1,
}


def main() -> int:
    """Create the dataset with its versions, and return an exit code."""
    data = Client().datasets
    try:
        if NAME in [each.name for each in data.list()] or not _stores():
            return 0
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder))
            data.init(NAME, project=_project(), description="small pictures of shapes", read=["*"])
            data.sync(NAME, folder, message="circles, diamonds and squares", tag="v1")
            improve(Path(folder))
            data.sync(NAME, folder, message="stars, and better labels", tag="v2")
            data.cache(f"{NAME}@v1")
    except (NameTaken, NotAllowed, Unsupported):
        return 0  # somebody else's controller, or one without datasets
    except GpuQuotaError as error:
        sys.stderr.write(f"The demo's dataset could not be made: {error}\n")
        return 1
    return 0


def make(folder: Path) -> None:
    """Write the pictures of the first version, with their labels."""
    _draw(folder, ("circle", "diamond", "square"), 20)
    (folder / "README.md").write_text("# Shapes\n\nSmall pictures, made by a program.\n")


def improve(folder: Path) -> None:
    """Change the folder into the second version."""
    _draw(folder, tuple(INSIDE), 20)
    (folder / "train" / "circle" / "000.png").unlink()


def _draw(folder: Path, kinds: tuple[str, ...], each: int) -> None:
    chance = random.Random(7)  # noqa: S311 (the same pictures every time)
    rows = []
    for kind in kinds:
        for number in range(each):
            part = "test" if number % 5 == 4 else "train"
            path = folder / part / kind / f"{number:03d}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            colour = tuple(chance.randrange(60, 256) for _ in range(3))
            path.write_bytes(_png(kind, chance.uniform(0.7, 1.3), colour))
            rows.append((str(path.relative_to(folder)), kind, *colour))
    with (folder / "labels.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "shape", "red", "green", "blue"))
        writer.writerows(rows)


def _png(kind: str, scale: float, colour: tuple[int, ...]) -> bytes:
    """Return a picture of a shape on black."""
    inside = INSIDE[kind]
    lines = bytearray()
    for row in range(SIZE):
        lines.append(0)  # this line is not filtered
        for column in range(SIZE):
            x, y = ((2 * at / (SIZE - 1) - 1) * scale for at in (column, row))
            lines += bytes(colour if inside(x, y) else (0, 0, 0))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(lines))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _stores() -> bool:
    """Return whether other processes can write a lake; they cannot in a controller's memory."""
    lakes = Client().datasets.lakes()
    return any(not each.url.startswith("memory:") for each in lakes)


def _project() -> str:
    """Return a project that the demo's user may launch in."""
    mine = Client().quota.get().document.mine
    return mine[0] if mine else ""


if __name__ == "__main__":
    sys.exit(main())
