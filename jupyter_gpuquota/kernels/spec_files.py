"""Kernelspecs as files in the user's data folder, where every client of Jupyter looks for them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InUse, StorageFailed
from .specs import MARK, Spec

_FILE = "kernel.json"
_LOGO = Path(__file__).with_name("logo-svg.svg")
"""What launchers and pickers show, by the name that Jupyter looks for."""


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The kernelspecs in a folder `kernels`; only those with our mark are changed.

    Each appears and disappears as a whole. `python` runs the relay, `environment` names the
    controller to it. Several JupyterLabs may write the same: what another one has written stays as
    long as its Python exists.
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
        """Install some, and remove all others of the same controller. Raises StorageFailed."""
        wanted = {spec.name: spec for spec in specs}
        for name, document in self.installed().items():
            if name not in wanted and document.get("env") == dict(self.environment):
                self.remove(name)
        for spec in wanted.values():
            with suppress(InUse):  # a kernelspec of the user's own has that name
                self.install(spec)

    def install(self, spec: Spec) -> None:
        """Install one. Raises InUse if another kernelspec has its name, StorageFailed."""
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


def _same(known: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Return whether a kernelspec is the wanted one, but for a Python that exists as well."""
    words = known.get("argv") or [""]
    python = str(words[0])
    return {**known, "argv": words[1:]} == {**wanted, "argv": wanted["argv"][1:]} and (
        python == wanted["argv"][0] or os.access(python, os.X_OK)
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}  # of another program, or removed meanwhile
    return found if isinstance(found, dict) else {}


def _failed(path: Path, error: OSError) -> StorageFailed:
    return StorageFailed(f"The kernelspec {path} cannot be written: {error.strerror or error}.")
