"""What differs between two snapshots: in their manifests, files and notebooks."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from msgspec.structs import replace

from ...core.snapshots.comparison import compare
from ...core.snapshots.volumes import pairs
from ...errors import GpuQuotaError
from ...model.datasets.files import CompareQuery, Comparison, ContentChunk
from ...model.datasets.versions import Version
from ...model.snapshots.comparison import NotebookChange, SnapshotComparison
from ...model.snapshots.manifest import Manifest, TreePart
from ...store.tasks import in_thread

_FILES = 1000
"""The most differing files in a comparison."""
MOST = 20
"""The most notebooks that are compared."""
SIZE = 8 << 20
"""The most bytes of a notebook that is compared: outputs count."""
_SHOWN = 20_000
_MISSING = "Notebooks are compared by name only: jupyter_gpuquota[nbdime] is not installed."
Read = Callable[[str], Awaitable[tuple[bytes, bytes]]]
"""Returns the bytes of a path before and after."""


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


async def with_texts(
    changes: tuple[NotebookChange, ...], read: Read
) -> tuple[tuple[NotebookChange, ...], tuple[str, ...]]:
    """Return changes with their differences, and why some have none."""
    found = {change.path: change for change in changes}
    problems: list[str] = []
    changed = [change.path for change in changes if change.change == "changed"]
    try:
        for path in changed[:MOST]:
            try:
                text = await in_thread(difference, *await read(path))
                found[path] = replace(found[path], text=text)
            except ValueError as error:
                problems.append(f"{path}: {error}")
            except GpuQuotaError as error:
                problems.append(f"{path}: {error.message}")
    except ImportError:
        return changes, (_MISSING,)
    if len(changed) > MOST:
        problems.append(f"Only the first {MOST} notebooks are compared by their cells.")
    return tuple(found.values()), tuple(problems)


def difference(before: bytes, after: bytes) -> str:
    """Return how the sources of two notebooks differ, empty if only outputs do.

    Raises ValueError for what is not a notebook or is too large, ImportError without nbdime.
    """
    import nbdime  # noqa: PLC0415 (takes a second, and is an extra)
    from nbdime.prettyprint import (  # noqa: PLC0415
        PrettyPrintConfig,
        pretty_print_notebook_diff,
    )

    if max(len(before), len(after)) > SIZE:
        raise ValueError(f"too large to compare: more than {SIZE >> 20} MiB.")
    try:
        old, new = _without_outputs(before), _without_outputs(after)
        found = nbdime.diff_notebooks(old, new)
        out = io.StringIO()
        config = PrettyPrintConfig(
            out=out, include=_Sources(), use_color=False, use_git=False, use_diff=False
        )
        pretty_print_notebook_diff("before", "after", old, found, config)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError("it cannot be read as a notebook.") from error
    return _without_heading(out.getvalue())


def _without_outputs(body: bytes) -> Any:
    """Return a notebook without the outputs of its cells, which take long to compare."""
    import nbformat  # noqa: PLC0415 (nbdime needs it)

    read: Callable[..., Any] = nbformat.reads  # it has no types
    notebook = read(body.decode(), as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


class _Sources:
    """What nbdime shows: the sources of cells."""

    def __getattr__(self, name: str) -> Any:
        return name == "sources"


def _without_heading(text: str) -> str:
    """Return a difference without the names of files that do not exist."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("##")), len(lines))
    return "\n".join(lines[first:])[:_SHOWN].strip()
