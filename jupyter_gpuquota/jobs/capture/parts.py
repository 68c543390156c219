"""All parts of a manifest but the tree: each may fail alone, which the manifest says."""

from __future__ import annotations

import hashlib
import logging
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from ...control.snapshots.drafts import VARIABLES, added_to, take_variables
from ...control.snapshots.parts import look, words
from ...core.snapshots import redaction
from ...model.snapshots.manifest import FilePart, Manifest, PartProblem
from ...model.snapshots.orders import SnapshotOrder
from ...store.snapshots.source import OWN

_LOG = 256 << 10
"""The bytes of a log's end that are stored."""

_log = logging.getLogger(__name__)

Step = Callable[[Manifest], Manifest]


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
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                _log.warning("%s: %s", name, error)
                draft = _without(draft, name, words(error))
        return draft

    def _looked(self, draft: Manifest) -> Manifest:
        prefix = draft.environment.prefix or self._order.prefix
        python = str(Path(prefix, "bin", "python")) if prefix else ""
        found = look(self._root, list(self._order.artifacts), python, self._secrets)
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
