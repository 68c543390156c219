"""DVC: `.dvc` files, and objects in its cache or remote (https://dvc.org/doc/user-guide/project-structure).

A `.dvc` file names an output by its MD5. That of a folder ends in `.dir`, and is a JSON list of
`{"md5", "relpath"}`. Objects are at `files/md5/ab/cdef…`, those of DVC 2 and older at `ab/cdef…`.
"""

from __future__ import annotations

import asyncio
import configparser
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import yaml

from ...core.datasets.urls import SCHEMES
from ...errors import Damaged, NotFound
from ..lake.connection import Connection, connect
from ..lake.objects import Readable
from . import files
from .state import Format, Item, State

_MD5 = re.compile(r"[0-9a-f]{32}(\.dir)?")
_FOLDER = ".dir"


class _Member(msgspec.Struct, frozen=True):
    md5: str
    relpath: str


class _Output(msgspec.Struct, frozen=True):
    """One output of a `.dvc` file; `hash` is missing in those of DVC 2 and older."""

    path: str
    md5: str = ""
    hash: str = ""
    isexec: bool = False
    remote: str = ""


class _File(msgspec.Struct, frozen=True):
    outs: tuple[_Output, ...] = ()
    desc: str = ""


def _matches(place: str) -> bool:
    return bool(_files(Path(place)))


def _files(path: Path) -> list[Path]:
    """Return a `.dvc` file, or those of a folder."""
    if path.is_dir():
        return sorted(each for each in path.glob("?*.dvc") if each.is_file())
    return [path] if path.suffix == ".dvc" and path.is_file() else []


def _read(place: str, variables: Mapping[str, str]) -> list[State]:
    path = Path(place)
    described = [(each, _described(each)) for each in _files(path)]
    if not described:
        raise NotFound(f"{path} is neither a .dvc file nor a folder with one.")
    outputs = [(each, output) for each, found in described for output in found.outs]
    store = _Store(_root(path / "file"), [output for _, output in outputs], variables)
    items = [
        item
        for each, output in outputs
        for item in _items(store, each, output, alone=len(outputs) == 1)
    ]
    newest = max(each.stat().st_mtime for each, _ in described)
    ids = " ".join(output.md5 for _, output in outputs)
    return [
        State(
            items=items,
            objects=store.remote,
            message=" ".join(found.desc for _, found in described).strip(),
            time=datetime.fromtimestamp(newest, UTC),
            source=f"dvc:{path.name} {ids}",
        )
    ]


def _described(path: Path) -> _File:
    try:
        return msgspec.convert(yaml.safe_load(path.read_bytes()), _File)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise Damaged(f"{path} is not a file of DVC: {error}.") from error


def _items(store: _Store, path: Path, output: _Output, *, alone: bool) -> list[Item]:
    """Return the files of an output; a folder has its name only beside other outputs."""
    if not _MD5.fullmatch(output.md5):
        raise Damaged(f"{path} names no MD5 of {output.path}.", hint="Run dvc commit.")
    if not output.md5.endswith(_FOLDER):
        return [store.item(output.path, output.md5, output)]
    prefix = "" if alone else f"{output.path}/"
    members = store.members(output)
    return [store.item(f"{prefix}{each.relpath}", each.md5, output) for each in members]


class _Store:
    """The cache of a DVC repository, and its remote, which is asked for what the cache lacks."""

    def __init__(
        self, root: Path, outputs: Sequence[_Output], variables: Mapping[str, str]
    ) -> None:
        config = _config(root)
        cache = config.get("cache", {}).get("dir", "cache")
        self._folders = [(root / ".dvc" / cache).resolve()]
        named = next((output.remote for output in outputs if output.remote), "")
        name = named or config.get("core", {}).get("remote", "")
        url = config.get(f'remote "{name}"', {}).get("url", "")
        self.remote: Connection | None = None
        if urlsplit(url).scheme in SCHEMES:
            self.remote = connect(url, variables)
        elif url:
            self._folders.append((root / ".dvc" / url).resolve())

    def item(self, path: str, md5: str, output: _Output) -> Item:
        """Return one file. Raises NotFound if it is neither here nor in a remote."""
        # Older ones hashed text with other line ends.
        item = Item(path, digest=f"md5:{md5}" if output.hash == "md5" else "")
        if output.isexec:
            item = Item(path, digest=item.digest, mode="100755")
        places = [folder / _key(md5, output) for folder in self._folders]
        here = next((each for each in places if each.is_file()), None)
        if here is None and self.remote:
            return Item(path, key=_key(md5, output), digest=item.digest, mode=item.mode)
        return files.local(item, here or places[0])

    def members(self, output: _Output) -> list[_Member]:
        """Return what a folder contains. Raises Damaged."""
        try:
            return msgspec.json.decode(self._read(output), type=list[_Member])
        except msgspec.DecodeError as error:
            raise Damaged(f"The list of {output.path} is malformed: {error}.") from error

    def _read(self, output: _Output) -> bytes:
        item = self.item(output.path, output.md5, output)
        if item.local:
            return item.local.read_bytes()
        return asyncio.run(_get(self.remote, item.key)) if self.remote else b""


async def _get(objects: Readable, key: str) -> bytes:
    return await objects.get(key)


def _key(md5: str, output: _Output) -> str:
    fanned = f"{md5[:2]}/{md5[2:]}"
    return f"files/md5/{fanned}" if output.hash == "md5" else fanned


def _root(path: Path) -> Path:
    """Return the repository that a file is in."""
    for folder in path.absolute().parents:
        if (folder / ".dvc").is_dir():
            return folder
    raise NotFound(
        f"{path} is not in a repository of DVC.", hint="There, a folder above it contains .dvc."
    )


def _config(root: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the repository's configuration; that of `config.local` comes first."""
    found = configparser.ConfigParser(interpolation=None)
    found.read([root / ".dvc" / "config", root / ".dvc" / "config.local"])
    return {name.strip("'"): dict(section) for name, section in found.items()}


FORMAT = Format("dvc", _matches, _read)
