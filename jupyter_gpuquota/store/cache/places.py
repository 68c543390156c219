"""Where a version, and what is known of it, lies in a cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ...errors import FieldError, refuse
from .. import published
from ..manifest import HEX
from ..paths import LONGEST_NAME


class Place(msgspec.Struct, frozen=True):
    """The place of one version in a cache, whether or not it is there."""

    root: Path
    dataset: str
    version: str

    @property
    def folder(self) -> Path:
        """The published folder: the version's files, its manifest and the marker."""
        return self.root / self.dataset / self.version

    @property
    def tree(self) -> Path:
        """The folder with the version's files, and nothing else."""
        return self.folder / published.TREE

    @property
    def manifest(self) -> Path:
        """The manifest of the files."""
        return self.folder / MANIFEST

    @property
    def marker(self) -> Path:
        """The file that says that nothing is missing."""
        return self.folder / published.MARKER

    @property
    def side(self) -> Path:
        """The folder beside the version with what is known of it."""
        return self.root / self.dataset / f".{self.version}"

    @property
    def is_cached(self) -> bool:
        """Whether the version is there."""
        return published.is_published(self.folder)


MANIFEST = "manifest.jsonl.gz"
"""The name of the manifest in a published folder."""


def place(root: Path, dataset: str, version: str) -> Place:
    """Return the place of a version.

    :raises InvalidFields: the dataset's name cannot name a folder, or the version is not a full id.
    """
    refuse(_problems(dataset, version))
    return Place(root, dataset, version)


def places(root: Path) -> Iterator[Place]:
    """Yield the place of every version that a cache has or knows of, in order."""
    for dataset in _folders(root):
        if dataset.startswith("."):
            continue
        found = {name.removeprefix(".") for name in _folders(root / dataset)}
        for version in sorted(found):
            if _is_version(version):
                yield Place(root, dataset, version)


def _folders(path: Path) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _problems(dataset: str, version: str) -> Iterator[FieldError]:
    unsafe = not dataset or dataset.startswith(".") or "/" in dataset or "\0" in dataset
    if unsafe or len(os.fsencode(dataset)) > LONGEST_NAME:
        yield FieldError("dataset", f"{dataset!r} cannot name a folder.")
    if not _is_version(version):
        yield FieldError("version", "It must be the full id of a version.")


def _is_version(text: str) -> bool:
    return len(text) == HEX and not text.strip("0123456789abcdef")
