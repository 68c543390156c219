"""Datasets in sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..struct import Model, Open
from .versions import LATEST

MountState = Literal["cached", "fetching", "missing"]


class DataMount(Model, frozen=True, kw_only=True):
    """One version of a dataset in a session.

    `ref` is the reference as it was requested, `version` the id that it named then. Each dataset is
    found by its name in the folder `GPUQUOTA_DATASETS`; with a `path`, such as `/data/train`, there
    too: below the session's folder where the session has no file system of its own.
    """

    dataset: str
    version: str
    ref: str = LATEST
    path: str = ""


class MountPreview(Model, frozen=True, kw_only=True):
    """Whether a version that a session would use is cached.

    `size` is in bytes, `done` of them are there. A version that is not cached is fetched first,
    which takes about `left` seconds, None if that is not known. `problem` says why it cannot be
    fetched now, empty if it can.
    """

    mount: DataMount
    state: Open[MountState]
    size: int = 0
    done: int = 0
    left: int | None = None
    problem: str = ""


def by_name(mounts: Sequence[DataMount]) -> dict[str, DataMount]:
    """Return what is found by each name: of several versions of a dataset the first one."""
    found: dict[str, DataMount] = {}
    for mount in sorted(mounts, key=lambda mount: bool(mount.path)):
        found.setdefault(mount.dataset, mount)
    return found
