"""The record of a session in an annotation of its workload.

A session in Kubernetes has no other store: what no object shows is written here.
"""

from __future__ import annotations

import hashlib

import msgspec

from ...control.storage.records import Record as Read
from ...control.storage.records import read_record
from ...model.sessions import Session
from ...model.struct import Model


class Record(Model, frozen=True, kw_only=True):
    """A session as it is recorded; `pod` is the uid of the pod of its present run."""

    session: Session
    pod: str = ""


def encode(record: Record) -> str:
    """Return a record as text, without what is observed again anyway."""
    session = record.session
    derived = session.state in ("waiting", "starting")
    stored = msgspec.structs.replace(
        session,
        revision="",
        actions=(),
        queue_position=0,
        usage=None,
        reason=None if derived else session.reason,
    )
    return msgspec.json.encode(msgspec.structs.replace(record, session=stored)).decode()


def decode(text: str) -> Read[Record]:
    """Return a record, or what is wrong with it; fields of later versions are ignored."""
    return read_record(text.encode(), _decode)


def shape_of(session: Session) -> str:
    """Return a hash of the parts of a request that its pods are made from."""
    spec = msgspec.to_builtins(msgspec.structs.replace(session.spec, idle_timeout=None))
    for added in ("data", "volumes", "stop_when_idle"):
        if not spec[added]:
            del spec[added]  # so that pods made by an earlier version are as they should be
    if spec["processes"] == 1:
        del spec["processes"]
    if spec["framework"] == "torch":
        del spec["framework"]
    return hashlib.sha256(msgspec.json.encode(spec, order="sorted")).hexdigest()[:16]


def _decode(data: bytes) -> Record:
    return msgspec.json.decode(data, type=Record)
