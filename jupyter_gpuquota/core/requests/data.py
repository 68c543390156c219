"""Read the datasets of a request: `NAME`, `NAME@REF` or `NAME@REF:/path`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...model.datasets.mounts import DataMount
from ...model.datasets.versions import LATEST
from ...model.pods import ContainerRules
from ..fields import FieldReader
from .mounts import is_reserved, within
from .quantities import PATH

_TEXT = re.compile(
    r"(?P<dataset>[a-z0-9][-a-z0-9]{0,62})(@(?P<ref>[A-Za-z0-9][A-Za-z0-9._-]*))?(:(?P<path>.*))?",
    re.ASCII | re.DOTALL,
)
_EXAMPLE = "NAME@REF:/path"
_BY_NAME = "/data"
"""The folder of a container in which datasets are found by name."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One dataset as it is requested; an empty `path` is no other place than by its name."""

    dataset: str
    ref: str = LATEST
    path: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a requested dataset is, or why the caller cannot use it."""

    mount: DataMount | None = None
    problem: str = ""
    hint: str = ""


def parse(text: str) -> Asked | None:
    """Return what a text requests; None if it is malformed."""
    match = _TEXT.fullmatch(text)
    if not match:
        return None
    path = match["path"]
    if path is not None and not PATH.fullmatch(path):
        return None
    return Asked(match["dataset"], match["ref"] or LATEST, path or "")


def read_data(
    texts: Sequence[str],
    known: Mapping[str, Resolved],
    containers: ContainerRules | None,
    reader: FieldReader,
    taken: Sequence[str] = (),
) -> tuple[DataMount, ...]:
    """Return the valid ones of the datasets of a request; `known` has what each text names.

    `taken` are the paths of its volumes.
    """
    mounts: list[DataMount] = []
    for i, text in enumerate(texts):
        field, found = f"data[{i}]", known.get(text)
        if parse(text) is None or found is None:
            reader.wrong(field, "pod.value", value=repr(text), example=_EXAMPLE)
        elif found.mount is None:
            reader.untranslated(field, found.problem, found.hint)
        else:
            path = found.mount.path
            kept = {_BY_NAME, *(f"{_BY_NAME}/{each.dataset}" for each in mounts)}
            if containers and path and (path in kept or is_reserved(path, containers)):
                reader.wrong(field, "pod.path", path=path)
            _check_place(field, found.mount, mounts, taken, reader)
            mounts.append(found.mount)
    return tuple(mounts)


def data_text(mount: DataMount) -> str:
    """Return the request for the same version at the same place."""
    end = f":{mount.path}" if mount.path else ""
    return f"{mount.dataset}@{mount.version}{end}"


def _check_place(
    field: str,
    mount: DataMount,
    before: Sequence[DataMount],
    taken: Sequence[str],
    reader: FieldReader,
) -> None:
    """Note that a place is taken by another dataset or a volume."""
    path = mount.path
    if not path:
        if any(other.dataset == mount.dataset and not other.path for other in before):
            reader.wrong(field, "name.twice", name=mount.dataset)
        return
    around = [*taken, *(other.path for other in before if other.path)]
    if path in around:
        reader.wrong(field, "name.twice", name=path)
    elif other := next((p for p in around if within(path, p) or within(p, path)), ""):
        reader.wrong(field, "data.nested", path=path, other=other)
