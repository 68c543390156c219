"""Dataset repositories of Hugging Face on disk: the cache of `huggingface_hub`, or a Git clone.

The cache (https://huggingface.co/docs/huggingface_hub/guides/manage-cache) has `refs/NAME` with the
id of a commit, `snapshots/COMMIT/…` with links to `blobs/…`, which are named by the id of a Git
blob, or by the sha256 of a large file. In a clone, large files are fetched by Git LFS.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from ...errors import Damaged, NotFound
from ..entries import EXECUTABLE, FILE, LINK
from ..tree import walk
from . import files
from .state import Format, Item, State

_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\noid sha256:([0-9a-f]{64})\n")
_SHORTEST_POINTER = 1024
_SHA1, _SHA256 = 40, 64


def _matches(place: str) -> bool:
    return _is_cache(Path(place)) or _is_clone(Path(place))


def _is_cache(root: Path) -> bool:
    return (root / "snapshots").is_dir() and root.name.startswith(("datasets--", "models--"))


def _is_clone(root: Path) -> bool:
    return (root / ".git").exists() and (root / ".gitattributes").is_file()


def _read(place: str, variables: Mapping[str, str]) -> list[State]:
    root = Path(place)
    if _is_cache(root):
        return _cached(root)
    if (root / ".git").exists():
        return [_cloned(root)]
    raise NotFound(
        f"{root} is not a repository of Hugging Face.",
        hint="Name a clone, or a folder datasets--ORGANISATION--NAME of the cache.",
    )


def _cached(root: Path) -> list[State]:
    """Return all snapshots, in the order in which they were downloaded."""
    refs = {
        path.read_text().strip(): str(path.relative_to(root / "refs"))
        for path in (root / "refs").rglob("*")
        if path.is_file()
    }
    kind, _, name = root.name.partition("--")
    name = name.replace("--", "/")
    snapshots = sorted((root / "snapshots").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    if not snapshots:
        raise NotFound(f"{root} has no snapshots.", hint="Download it: hf download.")
    return [
        State(
            items=[*_blobs(folder)],
            message=f"{name} {refs.get(folder.name, '')}".strip(),
            time=datetime.fromtimestamp(folder.stat().st_mtime, UTC),
            source=f"huggingface:{kind}/{name}@{folder.name}",
            tag=_tag(refs.get(folder.name, "")),
        )
        for folder in snapshots
    ]


def _tag(ref: str) -> str:
    """Return the tag that a ref becomes; none for branches, which move."""
    return "" if "/" in ref or ref == "main" else ref


def _blobs(folder: Path) -> Iterator[Item]:
    for path in folder.rglob("*"):
        if not path.is_file():
            if path.is_symlink():
                raise Damaged(
                    f"{path} is a broken link: the cache is incomplete.", hint="Download it again."
                )
            continue
        blob = path.resolve()
        item = Item(str(path.relative_to(folder)), digest=_digest(blob.name))
        yield files.local(item, blob)


def _digest(name: str) -> str:
    if len(name) == _SHA256:
        return f"sha256:{name}"
    return f"git:{name}" if len(name) == _SHA1 else ""


def _cloned(root: Path) -> State:
    said = _git(root, "log", "-1", "--format=%H%n%aN%n%aI%n%s").split("\n", 3)
    commit, author, when, subject = said if len(said) > 3 else ("", "", "", "")
    origin = _git(root, "config", "remote.origin.url").rpartition("@")[2]
    return State(
        items=[*_worktree(root)],
        message=subject.strip(),
        author=author,
        time=datetime.fromisoformat(when).astimezone(UTC) if when else None,
        source=f"huggingface:{origin or root.name}@{commit}",
    )


def _worktree(root: Path) -> Iterator[Item]:
    for found in walk(str(root)):
        if found.path.split("/")[0] == ".git":
            continue
        path = root / found.path
        if found.mode == LINK:
            yield Item(found.path, mode=LINK, target=found.target)
        elif found.mode in {FILE, EXECUTABLE}:
            pointed = _pointed(path)
            digest = f"sha256:{pointed}" if pointed else ""
            item = Item(found.path, digest=digest, mode=found.mode)
            yield files.local(item, _lfs(root, pointed) if pointed else path)


def _pointed(path: Path) -> str:
    """Return the sha256 that a file is a pointer of Git LFS to, or an empty text."""
    if path.stat().st_size > _SHORTEST_POINTER:
        return ""
    match = _POINTER.match(path.read_bytes())
    return match[1].decode() if match else ""


def _lfs(root: Path, sha256: str) -> Path:
    return root / ".git" / "lfs" / "objects" / sha256[:2] / sha256[2:4] / sha256


def _git(root: Path, *words: str) -> str:
    """Return what Git says of a clone; nothing without Git."""
    git = shutil.which("git")
    if git is None:
        return ""
    command = [git, "-C", str(root), *words]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout.decode(errors="replace").strip()


FORMAT = Format("huggingface", _matches, _read)
