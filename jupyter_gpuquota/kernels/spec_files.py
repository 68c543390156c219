"""Kernelspecs as files in the user's data folder, where every client of Jupyter looks for them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..environ import STATE_DIR
from ..errors import InUse, StorageFailed
from .specs import MARK, Spec

_FILE = "kernel.json"
_DIGITS = 4
"""Digits that tell two controllers of one account apart in names."""
_LOGO = Path(__file__).with_name("logo-svg.svg")
"""What launchers and pickers show, by the name that Jupyter looks for."""


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The kernelspecs in a folder `kernels`; only those with our mark are changed.

    Each appears and disappears as a whole. `python` runs the relay, `environment` names the
    controller to it. Several JupyterLabs may write the same: what another one has written stays as
    long as its Python exists. Of two controllers with a session of one name, the second to install
    its kernelspec gets a longer name.
    """

    folder: Path
    python: str
    environment: Mapping[str, str]

    def installed(self) -> dict[str, dict[str, Any]]:
        """Return the documents with our mark, by name."""
        found = {path.parent.name: _read(path) for path in self.folder.glob(f"*/{_FILE}")}
        return {
            name: document
            for name, document in sorted(found.items())
            if MARK in (document.get("metadata") or {})
        }

    def sync(self, specs: Iterable[Spec]) -> None:
        """Install some; remove others of this controller, and of those that are gone.

        Raises StorageFailed.
        """
        wanted = {spec.name: spec for spec in map(self._named, specs)}
        for name, document in self.installed().items():
            if name not in wanted and self._may_replace(document):
                self.remove(name)
        for spec in wanted.values():
            with suppress(InUse):  # a kernelspec of the user's own has that name
                self._put(spec)

    def install(self, spec: Spec) -> Spec:
        """Install one, and return it with the name that it has here. Raises InUse, StorageFailed.

        InUse means that a kernelspec that we have not installed has the name.
        """
        named = self._named(spec)
        self._put(named)
        return named

    def remove(self, name: str) -> bool:
        """Remove one of ours; return whether there was one. Raises StorageFailed."""
        if name not in self.installed():
            return False
        try:
            gone = self._aside()
            (self.folder / name).rename(gone / name)
        except FileNotFoundError:
            return False  # another JupyterLab was faster
        except OSError as error:
            raise _failed(self.folder / name, error) from error
        shutil.rmtree(gone, ignore_errors=True)
        return True

    def _put(self, spec: Spec) -> None:
        document = spec.document(self.python, self.environment)
        path = self.folder / spec.name / _FILE
        if path.parent.exists():
            known = _read(path)
            if MARK not in (known.get("metadata") or {}):
                raise InUse(
                    f"{path.parent} is a kernelspec that jupyter_gpuquota has not installed.",
                    hint="Rename it, then try again.",
                )
            if _same(known, document):
                return
        try:
            self._write(path, json.dumps(document, indent=1, ensure_ascii=False))
        except OSError as error:
            raise _failed(path, error) from error

    def _named(self, spec: Spec) -> Spec:
        """Return a kernelspec under the name that it has, or gets, beside those of others.

        Once it has the longer name it keeps that: notebooks remember it.
        """
        controller = json.dumps(dict(self.environment), sort_keys=True).encode()
        longer = f"{spec.name}.{hashlib.sha256(controller).hexdigest()[:_DIGITS]}"
        if not (self.folder / longer).exists():
            known = _read(self.folder / spec.name / _FILE)
            if MARK not in (known.get("metadata") or {}) or self._may_replace(known):
                return spec
        where = ", ".join(self.environment.values())
        return replace(spec, name=longer, title=f"{spec.title} · {where}")

    def _may_replace(self, document: Mapping[str, Any]) -> bool:
        """Return whether one of ours is for this controller, or for one that is gone."""
        return document.get("env") == dict(self.environment) or not _can_start(document)

    def _write(self, path: Path, text: str) -> None:
        """Write a kernelspec, so that it is never seen without its file or with half of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        aside = self._aside()
        try:
            new = aside / path.parent.name
            new.mkdir()
            (new / _FILE).write_text(text, encoding="utf-8")
            shutil.copyfile(_LOGO, new / _LOGO.name)
            try:
                new.rename(path.parent)
            except OSError:  # there is one already, or now
                for made in new.iterdir():
                    made.replace(path.with_name(made.name))
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _aside(self) -> Path:
        """Return a new folder on the same disk, which no client takes for a kernelspec."""
        return Path(tempfile.mkdtemp(prefix=".gpuquota-", dir=self.folder.parent))


def _can_start(document: Mapping[str, Any]) -> bool:
    """Return whether a kernelspec's Python and the folder of its controller still exist."""
    folder = (document.get("env") or {}).get(STATE_DIR)
    return _runs(document) and (not folder or Path(folder).is_dir())


def _runs(document: Mapping[str, Any]) -> bool:
    """Return whether the Python of a kernelspec is there."""
    return os.access(str((document.get("argv") or [""])[0]), os.X_OK)


def _same(known: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Return whether a kernelspec is the wanted one, but for a Python that exists as well."""
    words = known.get("argv") or [""]
    return {**known, "argv": words[1:]} == {**wanted, "argv": wanted["argv"][1:]} and (
        words[0] == wanted["argv"][0] or _runs(known)
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}  # of another program, or removed meanwhile
    return found if isinstance(found, dict) else {}


def _failed(path: Path, error: OSError) -> StorageFailed:
    return StorageFailed(f"The kernelspec {path} cannot be written: {error.strerror or error}.")
