"""Copies of the objects of one real session, under other names and on other nodes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from jupyter_gpuquota.kubernetes.labels import RECORD, SHAPE
from jupyter_gpuquota.kubernetes.state.record import decode, encode, shape_of

Json = dict[str, Any]

_SERVERS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
"""Metadata that the API server writes."""


@dataclass(frozen=True)
class Original:
    """The objects of a session as the API server has them; its names occur in nothing else."""

    namespace: str
    name: str
    session: str
    node: str
    workload: Json
    pod: Json
    secret: Json
    queued: Json
    """Kueue's Workload."""


@dataclass(frozen=True)
class Names:
    """What a copy has in place of the original's names."""

    namespace: str
    name: str
    session: str
    node: str


def copied(
    original: Original,
    found: Json,
    names: Names,
    uids: Mapping[str, str],
    *,
    starting: bool = False,
) -> Json:
    """Return an object as a copy of the session has it; `uids` are those of owners, by old ones."""
    text = json.dumps(found)
    for old, new in {
        original.session: names.session,
        original.name: names.name,
        original.namespace: names.namespace,
        original.node: names.node,
        **uids,
    }.items():
        text = text.replace(old, new)
    made = _as_new(json.loads(text))
    notes = made["metadata"].get("annotations", {})
    if RECORD in notes:
        _recorded(notes, starting=starting)
    return made


def _recorded(notes: Json, *, starting: bool) -> None:
    """Make the annotations of a workload agree with each other."""
    record = decode(notes[RECORD]).value
    if record is None:
        raise ValueError(notes[RECORD])
    notes[SHAPE] = shape_of(record.session)
    if starting:
        session = replace(record.session, state="starting", started=None)
        notes[RECORD] = encode(replace(record, session=session))


def node_copied(original: Json, name: str) -> Json:
    """Return a copy of a node."""
    return _as_new(json.loads(json.dumps(original).replace(original["metadata"]["name"], name)))


def _as_new(made: Json) -> Json:
    for key in _SERVERS:
        made["metadata"].pop(key, None)
    return made
