"""Folders of a snapshot as versions in a lake: that of the session, and those of volumes."""

from __future__ import annotations

import hashlib
import itertools
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from ..control.snapshots.drafts import VARIABLES, added_to, take_variables
from ..control.snapshots.installed import python_of
from ..control.snapshots.parts import look, words
from ..core.snapshots import identity, redaction
from ..core.snapshots.volumes import not_copied
from ..errors import GpuQuotaError
from ..model.snapshots.manifest import (
    LAKE,
    Consistency,
    FilePart,
    Manifest,
    PartProblem,
    TreePart,
    VolumePart,
)
from ..model.snapshots.orders import MountedVolume, SnapshotOrder
from ..store.catalog import Catalog
from ..store.exclusion import Rules
from ..store.frozen import View
from ..store.lake.history import History
from ..store.lake.objects import Objects
from ..store.paths import printable
from ..store.progress import Report, Steps
from ..store.snapshots import OWN, SessionFolder
from ..store.sync import Wanted, sync

_LOG = 256 << 10
"""The bytes of a log's end that are stored."""

_log = logging.getLogger(__name__)

Step = Callable[[Manifest], Manifest]
_NAMED = 20
"""The most paths of a folder that problems name, of each kind; others are counted."""


class Parts:
    """The parts of one snapshot; `blobs` are files that the tree gets besides, by name.

    `root` is a frozen view of the session's folder, None if there is none. `secrets` are in none of
    them.
    """

    def __init__(
        self,
        order: SnapshotOrder,
        room: Path,
        root: Path | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        self.blobs: dict[str, Path] = {}
        self._order = order
        self._room = room
        self._folder = Path(order.folder)
        self._root = root or self._folder
        self._secrets = list(secrets)

    def add_to(self, draft: Manifest) -> Manifest:
        """Return the draft with all parts that could be read. Blocks."""
        steps: dict[str, Step] = {
            "folder": self._looked,
            "logs": self._logs,
            "kernel": self._kernel,
        }
        for name, step in steps.items():
            try:
                draft = step(draft)
            except Exception as error:  # noqa: BLE001 (whatever users' files are, one part fails)
                _log.warning("%s: %s", name, error)
                draft = _without(draft, name, words(error))
        return draft

    def _looked(self, draft: Manifest) -> Manifest:
        prefix = draft.environment.prefix or self._order.prefix
        python = python_of(prefix) if prefix else ""
        found = look(self._root, list(self._order.artifacts), python, self._secrets, self._folder)
        made = added_to(draft, found, self._blob)
        return replace(made, environment=replace(made.environment, prefix=prefix))

    def _logs(self, draft: Manifest) -> Manifest:
        log = Path(self._order.log)
        if not self._order.log or not log.is_file():
            return draft
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - 2 * _LOG, 0))
            text = file.read(2 * _LOG).decode(errors="replace")
        # It is cut afterwards: of a secret that was cut before, the rest would be stored.
        end = redaction.text(text, self._secrets).encode()[-_LOG:]
        return replace(draft, logs=(self._blob("log.txt", end),))

    def _kernel(self, draft: Manifest) -> Manifest:
        if not self._order.dump:
            return draft
        target = self._room / f"blob-{VARIABLES}"
        path = f"{OWN}/{VARIABLES}"
        part = take_variables(self._folder, self._order.dump, target, path)
        self.blobs[VARIABLES] = target
        return replace(draft, kernel=part)

    def _blob(self, name: str, body: bytes) -> FilePart:
        """Add a file to the tree."""
        path = self._room / f"blob-{name}"
        path.write_bytes(body)
        self.blobs[name] = path
        digest = hashlib.sha256(body).hexdigest()
        return FilePart(path=f"{OWN}/{name}", size=len(body), sha256=digest)


def _without(draft: Manifest, part: str, words: str) -> Manifest:
    return replace(draft, problems=(*draft.problems, PartProblem(part=part, message=words)))


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A folder in a lake, what was left out of it or written meanwhile, and how far it is whole."""

    part: TreePart
    problems: Sequence[PartProblem]
    consistency: Consistency


class Trees:
    """Stores the folders of one snapshot, one after the other."""

    def __init__(
        self,
        order: SnapshotOrder,
        objects: Objects,
        history: History,
        catalog: Catalog,
        report: Report,
    ) -> None:
        self._order = order
        self._objects = objects
        self._history = history
        self.catalog = catalog
        self._steps = Steps(report)

    async def folder(self, source: SessionFolder, view: View | None) -> StoredTree:
        """Store the session's folder. Raises what `sync` raises."""
        draft = self._order.draft
        dataset = identity.tree_dataset(draft.owner)
        part = await self._stored(dataset, self._order.folder, source, view)
        consistency = _consistency(draft.consistency, source, view)
        return StoredTree(part, _notes(source), consistency)

    async def volume(
        self, mounted: MountedVolume, room: Path, view: View | None
    ) -> tuple[VolumePart | None, Sequence[PartProblem]]:
        """Store a volume; return None and why if that fails: the others are still stored."""
        there = Path(mounted.folder).is_dir()
        if problem := mounted.problem or ("" if there else f"{mounted.folder} does not exist"):
            return None, [not_copied(mounted.volume, problem)]
        draft = self._order.draft
        rules = Rules(self._order.patterns, self._order.own)
        source = SessionFolder(
            Path(mounted.folder), room, view=view, rules=rules, catalog=self.catalog
        )
        try:
            dataset = identity.volume_dataset(draft.owner)
            tree = await self._stored(dataset, mounted.folder, source, view)
        except GpuQuotaError as error:
            return None, [not_copied(mounted.volume, error.message)]
        asked: Consistency = "best-effort" if mounted.writes else draft.consistency
        part = VolumePart(
            volume=mounted.volume,
            path=mounted.path,
            provider=LAKE,
            handle=tree.version,
            size=tree.size,
            consistency=_consistency(asked, source, view),
            mechanism=tree.mechanism,
            tree=tree,
        )
        return part, _notes(source, f"{mounted.path.lstrip('/')}/")

    async def _stored(
        self, dataset: str, folder: str, source: SessionFolder, view: View | None
    ) -> TreePart:
        """Store a folder; of files that are being written, copies are stored."""
        draft = self._order.draft
        wanted = Wanted(
            dataset=dataset,
            folder=source,
            message=draft.note,
            author=draft.author,
            source=f"session:{draft.session}",
        )
        commit = await sync(
            wanted,
            self._objects,
            self._history,
            self.catalog,
            clock=lambda: datetime.now(UTC),
            report=self._steps,
        )
        self._steps.next()
        return TreePart(
            folder=folder,
            lake=self._order.lake,
            dataset=dataset,
            version=commit.version,
            files=commit.stats.files,
            size=commit.stats.bytes,
            added=commit.stats.added if commit.time >= draft.created else 0,
            provider=view.provider if view else "",
            mechanism="instant" if view else "copy",
        )


def _consistency(asked: Consistency, source: SessionFolder, view: View | None) -> Consistency:
    """Return how far the stored files belong together. `asked` is what the controller knows."""
    if source.copied or source.written or source.torn:
        return "best-effort"
    return "crash" if view and view.atomic and asked == "best-effort" else asked


def _notes(source: SessionFolder, below: str = "") -> list[PartProblem]:
    """Return what was left out of a folder, which is `below` a path, written, or torn."""
    left = [
        PartProblem(part=f"left out:{below}{path}", message=why)
        for path, why in sorted(source.left_out.items())
    ]
    written = [
        PartProblem(part=f"written:{below}{printable(path)}", message="It was written meanwhile.")
        for path in sorted(source.copied | source.written)
    ]
    torn = [
        PartProblem(part=f"torn:{below}{printable(path)}", message=why)
        for path, why in sorted(source.torn.items())
    ]
    return [*_named(left, "left out"), *_named(written, "written"), *_named(torn, "torn")]


def _named(problems: Sequence[PartProblem], part: str) -> list[PartProblem]:
    """Return some problems, of each kind some, and how many more there are."""
    more = len(problems) - _NAMED
    if more <= 0:
        return list(problems)
    kinds: dict[str, list[PartProblem]] = defaultdict(list)
    for each in problems:
        kinds[each.message].append(each)
    in_turn = (each for turn in itertools.zip_longest(*kinds.values()) for each in turn if each)
    some = sorted(itertools.islice(in_turn, _NAMED), key=lambda each: each.part)
    return [*some, PartProblem(part=part, message=f"{more:,} more paths, not named here.")]
