"""What the process of a snapshot is told to do: see `jobs/verbs/snapshot.py`."""

from __future__ import annotations

from ..struct import Model, Problem
from .manifest import Manifest


class MountedVolume(Model, frozen=True, kw_only=True):
    """A volume of this machine to copy: its name, where the session has it, and its folder.

    Others `write` to it while the session rests. `problem` is why it cannot be read, empty if it
    can.
    """

    volume: str
    path: str = ""
    folder: str = ""
    writes: bool = False
    problem: str = ""


class SnapshotOrder(Model, frozen=True, kw_only=True):
    """One snapshot to make.

    `draft` is the manifest with everything that the controller knows; the process adds the rest.
    `lake` is the name of the lake. `folder` is that of the session, `exclude` paths in it that are
    not the user's, such as links to datasets. `patterns` are what the user leaves out, `own`
    absolute paths with state of this product and of Jupyter. `prefix` is its Python, empty if
    unknown. A `running` session can be entered. `volumes` are the names of those to copy, None for
    all that the session may write; `mounted` are these, where they are folders.
    `artifacts` are globs relative to the folder, `variables` names in the session's kernel,
    which are in the file `dump` of its folder, or which the kernel of `notebook` has; `log` is the
    path of its log, empty without one. `failure` is why it could not be made, None while it can.
    """

    id: str
    lake: str = ""
    draft: Manifest
    folder: str
    exclude: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    prefix: str = ""
    running: bool = False
    volumes: tuple[str, ...] | None = None
    mounted: tuple[MountedVolume, ...] = ()
    artifacts: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    dump: str = ""
    notebook: str = ""
    log: str = ""
    failure: Problem | None = None
