"""The history of a dataset: its commits, and which version a reference names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from ..errors import Ambiguous, NotFound

LATEST = "latest"
SHORTEST = 4
"""Digits that a prefix of an id has at least."""
SHOWN = 12
"""Digits of an id that are shown."""


class Stats(msgspec.Struct, frozen=True):
    """What a version contains: files, their bytes, and the bytes that its commit added."""

    files: int = 0
    bytes: int = 0
    added: int = 0


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit: a version, where it came from, and who made it when.

    `parents` are ids of versions; `source` names the session or snapshot that produced it.
    """

    version: str
    parents: tuple[str, ...] = ()
    message: str = ""
    author: str = ""
    time: datetime
    stats: Stats = Stats()
    source: str = ""


def resolve(dataset: str, ref: str, commits: Sequence[Commit], tags: Mapping[str, str]) -> Commit:
    """Return the commit that a reference names: `latest`, a tag, or a unique prefix of an id.

    `commits` are in the order in which they were made, `tags` the ids by name. Of several commits
    of one version, the last counts.

    :raises NotFound: there is none.
    :raises Ambiguous: several versions have the prefix.
    """
    by_id = {commit.version: commit for commit in commits}
    if not commits:
        raise NotFound(
            f"{dataset} has no versions yet.", hint=f"Make one: data sync {dataset} FOLDER."
        )
    if ref in {"", LATEST}:
        return commits[-1]
    if found := by_id.get(tags.get(ref, "")):
        return found
    matches = [version for version in by_id if len(ref) >= SHORTEST and version.startswith(ref)]
    if len(matches) > 1:
        some = ", ".join(version[:SHOWN] for version in matches)
        raise Ambiguous(f"{ref} is the beginning of several versions: {some}.", hint="Add digits.")
    if not matches:
        names = ", ".join([LATEST, *sorted(tags)])
        raise NotFound(
            f"{dataset} has no version {ref!r}.",
            hint=f"Name an id (at least {SHORTEST} digits) or one of: {names}.",
        )
    return by_id[matches[0]]
