"""All parts of a manifest but the tree: each may fail alone, which the manifest says."""

from __future__ import annotations

import hashlib
import logging
import subprocess
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from ...core.snapshots import redaction
from ...model.snapshots.manifest import FilePart, GitPart, Manifest, PartProblem
from ...model.snapshots.orders import SnapshotOrder
from ...store.snapshots.source import OWN
from . import environment, git, notebooks

_LOG = 256 << 10
"""The bytes of a log's end that are stored."""

_log = logging.getLogger(__name__)

Step = Callable[[Manifest], Manifest]


class Parts:
    """The parts of one snapshot; `blobs` are files that the tree gets besides, by name."""

    def __init__(self, order: SnapshotOrder, room: Path) -> None:
        self.blobs: dict[str, Path] = {}
        self._order = order
        self._room = room
        self._root = Path(order.folder)

    def add_to(self, draft: Manifest) -> Manifest:
        """Return the draft with all parts that could be read. Blocks."""
        steps: dict[str, Step] = {
            "git": self._git,
            "environment": self._environment,
            "gpus": self._gpus,
            "notebooks": self._notebooks,
            "artifacts": self._artifacts,
            "logs": self._logs,
            "kernel": self._kernel,
        }
        for name, step in steps.items():
            try:
                draft = step(draft)
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                _log.warning("%s: %s", name, error)
                draft = _without(draft, name, _words(error))
        return draft

    def _git(self, draft: Manifest) -> Manifest:
        found: list[GitPart] = []
        for folder in git.repositories(self._root):
            each = git.look(self._root, folder)
            patch = self._blob(f"{len(found)}.patch", each.patch) if each.patch else None
            found.append(replace(each.part, patch=patch.sha256 if patch else ""))
        return replace(draft, git=tuple(found))

    def _environment(self, draft: Manifest) -> Manifest:
        prefix = draft.environment.prefix or self._order.prefix
        if not prefix:
            return draft
        found = replace(draft.environment, prefix=prefix)
        return replace(draft, environment=environment.packages(found))

    def _gpus(self, draft: Manifest) -> Manifest:
        return replace(draft, environment=environment.gpus(draft.environment))

    def _notebooks(self, draft: Manifest) -> Manifest:
        return replace(draft, notebooks=tuple(notebooks.notebooks(self._root)))

    def _artifacts(self, draft: Manifest) -> Manifest:
        return replace(draft, artifacts=tuple(notebooks.files(self._root, self._order.artifacts)))

    def _logs(self, draft: Manifest) -> Manifest:
        log = Path(self._order.log)
        if not self._order.log or not log.is_file():
            return draft
        with log.open("rb") as file:
            file.seek(max(log.stat().st_size - _LOG, 0))
            text = file.read(_LOG).decode(errors="replace")
        return replace(draft, logs=(self._blob("log.txt", redaction.text(text).encode()),))

    def _kernel(self, draft: Manifest) -> Manifest:
        if self._order.variables:
            raise ValueError("Variables of kernels cannot be stored yet.")
        return draft

    def _blob(self, name: str, body: bytes) -> FilePart:
        """Add a file to the tree."""
        path = self._room / f"blob-{name}"
        path.write_bytes(body)
        self.blobs[name] = path
        digest = hashlib.sha256(body).hexdigest()
        return FilePart(path=f"{OWN}/{name}", size=len(body), sha256=digest)


def _without(draft: Manifest, part: str, words: str) -> Manifest:
    return replace(draft, problems=(*draft.problems, PartProblem(part=part, message=words)))


def _words(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        said = error.stderr or b""
        text = said.decode(errors="replace") if isinstance(said, bytes) else said
        return redaction.text(text.strip()[-300:]) or f"It ended with {error.returncode}."
    if isinstance(error, subprocess.TimeoutExpired):
        return f"It took longer than {error.timeout:g} seconds."
    return redaction.text(str(error))
