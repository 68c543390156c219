"""How manifests are written and named, and where they are in a lake.

::

    snapshots/OWNER/ID.json       a manifest; OWNER is a hash of the owner's name
    snapshots/OWNER/ID.marks      tags and pin, which may change
    snapshots/OWNER/ID.SHA256     a file of a snapshot that has no tree: a patch, a log, variables
    snapshots/OWNER/rules         when snapshots are taken and removed by themselves
    snapshots/OWNER/rests         which sessions were stored when they came to rest
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

import msgspec

from ...errors import Damaged
from ...model.snapshots.manifest import SCHEMA, Manifest
from ...model.struct import decoded
from ..utf8 import encodable

SNAPSHOTS = "snapshots/"
MANIFEST = ".json"
MARKS = ".marks"
_RULES = "rules"
_RESTS = "rests"
_TREES = ".snapshots-"
_VOLUMES = ".volumes-"
_DIGITS = 32
_OF_ONE = re.compile(rf"{SNAPSHOTS}[0-9a-f]{{{_DIGITS}}}/[0-9a-f]{{64}}\..+")


def encode(manifest: Manifest) -> bytes:
    """Return the canonical bytes of a manifest: JSON with sorted keys."""
    try:
        return msgspec.json.encode(manifest, order="deterministic")
    except UnicodeEncodeError:
        found = msgspec.convert(encodable(msgspec.to_builtins(manifest)), Manifest)
        return msgspec.json.encode(found, order="deterministic")


def identity(body: bytes) -> str:
    """Return the id of a manifest: the sha256 of its bytes."""
    return hashlib.sha256(body).hexdigest()


def decode(body: bytes, snapshot: str) -> Manifest:
    """Return a manifest. Raises Damaged if it is not that of the snapshot, or is malformed."""
    if identity(body) != snapshot:
        raise Damaged(
            f"The manifest of the snapshot {snapshot[:12]} does not match its id.",
            hint="Restore the lake from a copy, or remove the snapshot.",
        )
    try:
        found = decoded(body, Manifest)
    except msgspec.DecodeError as error:
        raise Damaged(f"The manifest of the snapshot {snapshot[:12]}: {error}.") from error
    if found.schema > SCHEMA:
        raise Damaged(
            f"The snapshot {snapshot[:12]} was taken by a newer version of this product.",
            hint="Upgrade jupyter-gpuquota.",
        )
    return found


def owner_hash(owner: str) -> str:
    """Return what stands for an owner in keys: names may have any letters."""
    return hashlib.sha256(owner.encode()).hexdigest()[:_DIGITS]


def key(owner: str, snapshot: str) -> str:
    """Return the key of a manifest."""
    return f"{folder(owner)}{snapshot}{MANIFEST}"


def marks_key(owner: str, snapshot: str) -> str:
    """Return the key of what may change of a snapshot."""
    return f"{folder(owner)}{snapshot}{MARKS}"


def file_key(owner: str, snapshot: str, digest: str) -> str:
    """Return the key of a file that is stored beside a manifest, by its sha256."""
    return f"{folder(owner)}{snapshot}.{digest}"


def keys_of(owner: str, snapshot: str, keys: Iterable[str]) -> list[str]:
    """Return the keys of a snapshot among all of its owner, that of the manifest last."""
    own = (each for each in keys if each.startswith(f"{folder(owner)}{snapshot}."))
    return sorted(own, key=lambda each: each.endswith(MANIFEST))


def left(keys: Iterable[str]) -> list[str]:
    """Return the keys, among all of a lake, of snapshots that have no manifest."""
    every = list(keys)
    known = {key.removesuffix(MANIFEST) for key in every if snapshot_of(key)}
    return [key for key in every if _OF_ONE.fullmatch(key) and key.partition(".")[0] not in known]


def rules_key(owner: str) -> str:
    """Return the key of the rules of an owner."""
    return f"{folder(owner)}{_RULES}"


def rests_key(owner: str) -> str:
    """Return the key of what is remembered of an owner's resting sessions."""
    return f"{folder(owner)}{_RESTS}"


def folder(owner: str) -> str:
    """Return the prefix of all that belongs to the snapshots of an owner."""
    return f"{SNAPSHOTS}{owner_hash(owner)}/"


def snapshot_of(stored: str) -> str:
    """Return the id of a snapshot by the key of its manifest, empty for other keys."""
    name = stored.rpartition("/")[2]
    return name.removesuffix(MANIFEST) if name.endswith(MANIFEST) else ""


def tree_dataset(owner: str) -> str:
    """Return the hidden dataset with the trees of an owner.

    No user can give a dataset this name, and it has no record, so that it is never listed.
    """
    return f"{_TREES}{owner_hash(owner)}"


def volume_dataset(owner: str) -> str:
    """Return the hidden dataset with the copied volumes of an owner.

    Versions of this product that know no such copies leave its commits, and so the files, alone.
    """
    return f"{_VOLUMES}{owner_hash(owner)}"
