"""What differs in the cells of notebooks of copies, as far as these were stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice

from msgspec.structs import replace

from ....control.snapshots.notebook_diffs import with_texts
from ....core.snapshots.notebooks import is_notebook
from ....model.datasets.files import Difference
from ....model.snapshots.comparison import NotebookChange, SnapshotComparison
from ....model.snapshots.manifest import Manifest
from ....model.snapshots.snapshots import Snapshot
from ....store.tasks import in_thread
from .files import Entries, StoredFiles
from .notebooks import StoredNotebooks, chosen

_MOST = 1000
"""The most notebooks of volumes in a comparison."""

Digests = tuple[str, str]
"""The sha256 of a notebook before and after; empty where it is missing."""


@dataclass(frozen=True, slots=True)
class ReadSide:
    """One snapshot of a comparison, with the lists of its volumes that are compared.

    It is `whole` if the files of all its copies were read.
    """

    snapshot: Snapshot
    manifest: Manifest
    volumes: tuple[Entries, ...]
    whole: bool

    def why(self, digest: str) -> str:
        """Return why a notebook is not stored."""
        short = self.snapshot.short
        for entries in self.volumes:
            paths = [each.path for each in entries if each.sha256 == digest]
            if paths:
                _, left = chosen(entries)
                verify = f"not stored yet: jupyter gpu snapshot verify {short} does it"
                return f"{next((left[path] for path in paths if path in left), verify)}."
        return f"as it was in {short}, it is in no volume that both snapshots have."

    def contents(self) -> set[str]:
        """Return the sha256 of all files of the volumes."""
        return {each.sha256 for entries in self.volumes for each in entries}


Sides = tuple[ReadSide, ReadSide]


class CellComparing:
    """Compares the notebooks that verifications have stored."""

    def __init__(self, stored: StoredFiles) -> None:
        self._stored = stored

    async def added(
        self, found: SnapshotComparison, sides: Sides, files: Iterable[Difference]
    ) -> SnapshotComparison:
        """Return a comparison with the notebooks of volumes, and how the cells of all differ."""
        before, after = (side.manifest for side in sides)
        digests = _of_session(found.notebooks, before, after)
        notebooks = {each.path: each for each in found.notebooks}
        for each, pair in islice(_of_volumes(files, dict(digests)), _MOST):
            notebooks[each.path], digests[each.path] = each, pair
        changed = [each for each in notebooks.values() if each.change == "changed"]
        known = await in_thread(_known, changed, digests, sides)
        read = partial(self._read, sides, digests)
        compared, problems = await with_texts(known, read, in_thread)
        notebooks |= {each.path: each for each in compared}
        return replace(
            found,
            notebooks=tuple(notebooks.values()),
            problems=(*found.problems, *problems),
        )

    async def _read(
        self, sides: Sides, digests: Mapping[str, Digests], path: str
    ) -> tuple[bytes, bytes]:
        """Return a notebook before and after. Raises ValueError, Damaged, Unavailable."""
        (before, after), (old, new) = sides, digests[path]
        return await self._content(before, old), await self._content(after, new)

    async def _content(self, side: ReadSide, digest: str) -> bytes:
        body = await StoredNotebooks(self._stored, side.snapshot).get(digest)
        if body is None:
            raise ValueError(await in_thread(side.why, digest))
        return body


def _of_session(
    changes: Iterable[NotebookChange], before: Manifest, after: Manifest
) -> dict[str, Digests]:
    """Return the content of the notebooks that the session itself has listed."""
    old = {each.path: each.sha256 for each in before.notebooks}
    new = {each.path: each.sha256 for each in after.notebooks}
    return {each.path: (old.get(each.path, ""), new.get(each.path, "")) for each in changes}


def _of_volumes(
    files: Iterable[Difference], listed: Mapping[str, Digests]
) -> Iterator[tuple[NotebookChange, Digests]]:
    """Yield the notebooks of volumes that the session has not listed, by a path in its folder."""
    for each in files:
        pair = each.sha256_before, each.sha256_after
        if each.raw or not any(pair) or not is_notebook(each.path):
            continue
        parts = each.path.split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        if all(listed.get(end) != pair for end in ends):
            yield NotebookChange(path=each.path, change=each.change), pair


def _known(
    changes: Iterable[NotebookChange], digests: Mapping[str, Digests], sides: Sides
) -> tuple[NotebookChange, ...]:
    """Return the notebooks of which it is known whether the copies have them.

    Of others, verifying the snapshots is what the comparison proposes.
    """
    found = tuple(changes)
    for number, side in enumerate(sides):
        if not side.whole:
            contents = side.contents()
            found = tuple(each for each in found if digests[each.path][number] in contents)
    return found
