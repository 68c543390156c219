"""What differs between two snapshots: in their manifests, their files and their notebooks."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from ...core.snapshots.comparison import compare
from ...core.snapshots.volumes import pairs
from ...errors import GpuQuotaError
from ...model.datasets.files import CompareQuery, Comparison, ContentChunk
from ...model.datasets.versions import Version
from ...model.snapshots.comparison import SnapshotComparison
from ...model.snapshots.manifest import Manifest, TreePart
from .notebook_diffs import SIZE, with_texts

_FILES = 1000
"""The most differing files in a comparison."""


class Files(Protocol):
    """The files of trees; the dataset of a version here is its lake."""

    async def compare(self, before: Version, after: Version, query: CompareQuery) -> Comparison:
        """Return a page of what differs. Raises Unavailable, Damaged."""

    async def content(self, version: Version, path: str, offset: int) -> ContentChunk:
        """Return some bytes of a file. Raises NotFound, WrongState, Unavailable, Damaged."""


class Comparing:
    """Compares snapshots by their manifests."""

    def __init__(self, files: Files) -> None:
        self._files = files

    async def compare(
        self, before: str, old: Manifest, after: str, new: Manifest
    ) -> SnapshotComparison:
        """Return what differs. Files of a volume are below the path where its session had it."""
        found = compare(before, old, after, new)
        if old.tree is None or new.tree is None:
            found = _problem(found, "The files: one of the snapshots has none.")
        else:
            found = await self._with_files(found, "The files", old.tree, new.tree)
            trees = _version(old.tree), _version(new.tree)
            read = partial(self._read, trees)
            notebooks, problems = await with_texts(found.notebooks, read)
            found = replace(found, notebooks=notebooks, problems=(*found.problems, *problems))
        for name, one, other in pairs(old, new):
            if one and one.tree and other and other.tree:
                below, what = one.path.strip("/") or name, f"The volume {name}"
                found = await self._with_files(found, what, one.tree, other.tree, f"{below}/")
        return found

    async def _with_files(
        self,
        found: SnapshotComparison,
        what: str,
        before: TreePart,
        after: TreePart,
        below: str = "",
    ) -> SnapshotComparison:
        """Return a comparison with the files of two trees, which are `below` a path."""
        query = CompareQuery(limit=_FILES, other="")
        try:
            files = await self._files.compare(_version(before), _version(after), query)
        except GpuQuotaError as error:
            return _problem(found, f"{what}: {error.message}")
        more = (replace(each, path=f"{below}{each.path}") for each in files.items)
        return replace(
            found,
            files=(*found.files, *more)[:_FILES],
            all_files=found.all_files + files.total,
        )

    async def _read(self, trees: tuple[Version, Version], path: str) -> tuple[bytes, bytes]:
        """Return a file of two trees, each up to the size that is compared."""
        before, after = [await self._whole(tree, path) for tree in trees]
        return before, after

    async def _whole(self, tree: Version, path: str) -> bytes:
        body = b""
        while True:
            chunk = await self._files.content(tree, path, len(body))
            body += chunk.data
            if not chunk.data or len(body) >= chunk.size or len(body) > SIZE:
                return body


def _problem(found: SnapshotComparison, text: str) -> SnapshotComparison:
    return replace(found, problems=(*found.problems, text))


def _version(tree: TreePart) -> Version:
    return Version(dataset=tree.lake, id=tree.version, time=datetime.now(UTC))
