"""What the process of a snapshot is told to do: see `jobs/verbs/snapshot.py`."""

from __future__ import annotations

from ..struct import Model
from .manifest import Manifest


class SnapshotOrder(Model, frozen=True, kw_only=True):
    """One snapshot to make.

    `draft` is the manifest with everything that the controller knows; the process adds the rest.
    `lake` is the name of the lake. `folder` is that of the session, `exclude` paths in it that are
    not the user's, such as links to datasets. `prefix` is its Python, empty if unknown. A `running`
    session can be entered.
    `artifacts` are globs relative to the folder, `variables` names in the session's kernel,
    which are in the file `dump` of its folder, or which the kernel of `notebook` has; `log` is the
    path of its log, empty without one.
    """

    id: str
    lake: str = ""
    draft: Manifest
    folder: str
    exclude: tuple[str, ...] = ()
    prefix: str = ""
    running: bool = False
    artifacts: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    dump: str = ""
    notebook: str = ""
    log: str = ""
