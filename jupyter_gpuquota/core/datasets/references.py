"""Which version a reference names: `latest`, a tag, or a unique prefix of an id."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...errors import FieldError, NotFound, refuse
from ...model.datasets.versions import LATEST, SHORTEST
from ..names import with_beginning

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", re.ASCII)
_DIGITS = re.compile(r"[0-9a-f]+", re.ASCII)


def resolve(dataset: str, ref: str, versions: Sequence[str], tags: Mapping[str, str]) -> str:
    """Return the id of the version that a reference names; an empty one is `latest`.

    `versions` are ids in the order in which they were committed, `tags` the ids by name.

    :raises NotFound: there is none, or the prefix is too short.
    :raises Ambiguous: several versions have the prefix.
    """
    known = set(versions)
    if not versions:
        raise NotFound(
            f"{dataset} has no versions yet.",
            hint=f"Make one: jupyter gpu data sync {dataset} FOLDER.",
        )
    if ref in {"", LATEST}:
        return versions[-1]
    if tags.get(ref) in known:
        return tags[ref]
    if begun := with_beginning(ref, versions, "version"):
        return begun
    names = ", ".join([LATEST, *sorted(tags)])
    raise NotFound(
        f"{dataset} has no version {ref!r}.",
        hint=f"Name an id (at least {SHORTEST} digits) or one of: {names}.",
    )


def check_tag(tag: str) -> None:
    """Raise InvalidFields for a name that a tag cannot have."""
    problems = []
    if not _TAG.fullmatch(tag):
        text = "A tag has letters, digits, '.', '_' and '-', and begins with a letter or a digit."
        problems.append(FieldError("tag", text))
    elif tag == LATEST or (len(tag) >= SHORTEST and _DIGITS.fullmatch(tag)):
        problems.append(
            FieldError("tag", f"{tag} already means something else: a version's id, or the latest.")
        )
    refuse(problems)
