"""Small file systems of their own, where this machine lets tests mount them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_SIZE = 330 << 20
"""Bytes of a disk; the file is sparse. XFS needs 300 MiB."""


_AGAIN = {"xfs": ",nouuid"}
"""What lets a copy of a file system be mounted beside it."""


@contextmanager
def disk(kind: str, folder: Path) -> Iterator[Path]:
    """Return where a new file system is mounted; skip the test where that is impossible."""
    image, point = folder / f"{kind}.img", folder / kind
    program = shutil.which(f"mkfs.{kind}") or shutil.which(f"mkfs.{kind}", path="/usr/sbin:/sbin")
    if program is None:
        pytest.skip(f"mkfs.{kind} is not installed")
    with image.open("wb") as file:
        file.truncate(_SIZE)
    subprocess.run([program, str(image)], check=True, capture_output=True)
    with _mounted(kind, image, point, "loop"):
        yield point


@contextmanager
def without_power(kind: str, folder: Path) -> Iterator[Path]:
    """Return where that file system is as it would be if its machine had lost power just now."""
    image, point = folder / f"{kind}-cut.img", folder / f"{kind}-cut"
    copied = ["cp", "--sparse=always", str(folder / f"{kind}.img"), str(image)]
    subprocess.run(copied, check=True)
    with _mounted(kind, image, point, f"loop{_AGAIN.get(kind, '')}"):
        yield point


@contextmanager
def _mounted(kind: str, image: Path, point: Path, options: str) -> Iterator[None]:
    point.mkdir(exist_ok=True)
    mounting = ["mount", "-t", kind, "-o", options, str(image), str(point)]
    mounted = subprocess.run(mounting, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"this machine mounts no {kind}: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(point)], check=True)
        image.unlink()
