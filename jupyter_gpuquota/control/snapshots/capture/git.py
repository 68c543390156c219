"""The git repositories in a session's folder, without the credentials in their addresses."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, NamedTuple  # noqa: UP035 (Python 3.8 in sessions)

from ....core.snapshots import redaction

_PATIENCE = 60.0
_DEPTH = 2
"""How far below the folder repositories are looked for."""
_MOST = 20
_DIFF = ("diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color")
_NAMED = 200
"""Untracked paths that are named at most."""


class Repository(NamedTuple):
    """One repository: the fields of a `GitPart`, and its patch, empty without changes."""

    part: Dict[str, Any]  # noqa: UP006 (Python 3.8 in sessions)
    patch: bytes


def repositories(root: Path) -> Iterator[Path]:
    """Yield the folders of repositories: the folder itself, and those a little below it.

    Raises ValueError after very many.
    """
    found = [root] if (root / ".git").exists() else []
    level = [root]
    for _ in range(_DEPTH):
        level = [each for folder in level for each in _folders(folder)]
        found += [folder for folder in level if (folder / ".git").exists()]
    yield from found[:_MOST]
    if len(found) > _MOST:
        raise ValueError(f"Only the first {_MOST} repositories are recorded.")


def named(root: Path, folder: Path) -> str:
    """Return the part of a manifest that a repository is, to say what is wrong with it."""
    return "git" if folder == root else f"git:{folder.relative_to(root)}"


def look(root: Path, folder: Path, secrets: Iterable[str] = ()) -> Repository:
    """Return what is checked out in a folder, which is named by its path below `root`.

    The patch has none of the secrets. Raises OSError, subprocess.SubprocessError where git fails.
    """
    _git(folder, "rev-parse", "--git-dir")  # a better error than that of what comes
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
    changes = ("HEAD",) if commit else ("--cached",)
    diff = _git(folder, *_DIFF, *changes, "--", ".", *_secret(folder, changes))
    patch = redaction.text(diff, secrets)
    untracked = _git(folder, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    names = sorted(redaction.text(name) for name in untracked if name)
    remote = _git(folder, "config", "--get", "remote.origin.url", check=False)
    part = {
        "folder": str(folder.relative_to(root)),
        "remote": redaction.address(remote),
        "commit": commit,
        "branch": _git(folder, "branch", "--show-current", check=False),
        "dirty": bool(patch.strip() or names),
        "untracked": names[:_NAMED],
        "all_untracked": len(names),
    }
    return Repository(part, patch.encode(errors="surrogateescape") if patch.strip() else b"")


def _secret(folder: Path, changes: tuple[str, ...]) -> list[str]:
    """Return the arguments that leave out changed files of credentials and keys."""
    names = _git(folder, *_DIFF, "--name-only", "-z", *changes).split("\0")
    return [f":(exclude,literal,top){name}" for name in names if redaction.secret_path(name)]


def _git(folder: Path, *words: str, check: bool = True) -> str:
    """Return what git prints; nothing that a repository configures is run.

    A broken repository is not mistaken for one in which its folder lies.
    """
    answer = subprocess.run(
        ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *words],
        cwd=folder,
        capture_output=True,
        timeout=_PATIENCE,
        check=check,
        env={
            **os.environ,
            "GIT_CEILING_DIRECTORIES": str(folder.parent),
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        },
    )
    text = answer.stdout.decode(errors="surrogateescape")
    return text if "diff" in words or "-z" in words else text.strip()


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                Path(each.path)
                for each in entries
                if each.is_dir(follow_symlinks=False) and each.name != ".git"
            )
    except OSError:
        return []
