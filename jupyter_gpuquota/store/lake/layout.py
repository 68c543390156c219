"""The keys of objects in a lake.

::

    objects/ab/cdef…                     a large file, or a part of one, named by its sha256
    packs/ab/cdef…  packs/ab/cdef….index many small files, and what a pack holds
    manifests/ab/cdef….jsonl.gz          the entries of a version, named by its id
    datasets/NAME/dataset.json           what is recorded of a dataset
    datasets/NAME/commits/00000007.json  one commit; its number is that of its place
    datasets/NAME/tags/TAG.json          the version that a tag names
    writers/ID.json                      one process that is writing, renewed while it does

All but records, tags and writers are written once and never changed.
"""

from __future__ import annotations

OBJECTS = "objects/"
PACKS = "packs/"
MANIFESTS = "manifests/"
DATASETS = "datasets/"
WRITERS = "writers/"
PREFIXES = (OBJECTS, PACKS, MANIFESTS, DATASETS, WRITERS)
INDEX = ".index"

_DIGITS = 8


def content(sha256: str) -> str:
    """Return the key of a large file, or of a part of one."""
    return f"{OBJECTS}{_fanned(sha256)}"


def pack(sha256: str) -> str:
    """Return the key of a pack."""
    return f"{PACKS}{_fanned(sha256)}"


def index(sha256: str) -> str:
    """Return the key of a pack's index."""
    return f"{PACKS}{_fanned(sha256)}{INDEX}"


def manifest(version: str) -> str:
    """Return the key of a version's manifest."""
    return f"{MANIFESTS}{_fanned(version)}.jsonl.gz"


def record(dataset: str) -> str:
    """Return the key of a dataset's record."""
    return f"{DATASETS}{dataset}/dataset.json"


def version_of(key: str) -> str:
    """Return the id of a version by the key of its manifest."""
    return name_of(key).partition(".")[0]


def commits(dataset: str) -> str:
    """Return the prefix of a dataset's commits."""
    return f"{DATASETS}{dataset}/commits/"


def commit(dataset: str, number: int, suffix: str = "") -> str:
    """Return the key of a commit; numbers begin with 1."""
    return f"{commits(dataset)}{number:0{_DIGITS}}{suffix}.json"


def number(key: str) -> int:
    """Return the number of a commit by its key."""
    return int(key.rpartition("/")[2][:_DIGITS])


def tags(dataset: str) -> str:
    """Return the prefix of a dataset's tags."""
    return f"{DATASETS}{dataset}/tags/"


def tag(dataset: str, name: str) -> str:
    """Return the key of a tag."""
    return f"{tags(dataset)}{name}.json"


def writer(name: str) -> str:
    """Return the key of a writer's record."""
    return f"{WRITERS}{name}.json"


def name_of(key: str) -> str:
    """Return the sha256 in the key of an object, a pack or an index, with the latter's suffix."""
    return "".join(key.split("/")[-2:])


def _fanned(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:]}"
