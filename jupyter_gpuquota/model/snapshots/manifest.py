"""The manifest of a snapshot: everything that it consists of. It never changes.

Its id is the sha256 of its canonical bytes: see `core/snapshots/identity.py`. Every part may be
missing; `problems` say which, and why.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from ..datasets.mounts import DataMount
from ..resources import Share
from ..sessions import SessionSpec
from ..struct import ADDED, Model, Open
from .runs import Run

SCHEMA = 1
"""The version of the form of manifests that this product writes."""

LAKE = "lake"
"""The provider of files in a lake."""

Trigger = Literal["request", "schedule", "suspend", "finish", "code"]
Consistency = Literal["quiesced", "crash", "best-effort"]
Mechanism = Literal["instant", "copy"]


class PartProblem(Model, frozen=True, kw_only=True):
    """A part that is missing or incomplete: `git`, `kernel`, `tree:data/x.bin`, and why."""

    part: str
    message: str


class TreePart(Model, frozen=True, kw_only=True):
    """A folder, that of the session or of a volume: a version in a lake.

    `lake` is the lake's name, `dataset` the hidden dataset that holds the trees of one owner.
    `files` and `size` (in bytes) count what the version contains, `added` the bytes that were
    new to the lake. `provider` made the view of the folder that was stored, such as `btrfs`; empty
    if its files were read in place. `mechanism` says whether the folder was frozen at once.
    """

    folder: str
    lake: str
    dataset: str
    version: str
    files: int = 0
    size: int = 0
    added: int = 0
    provider: Annotated[str, ADDED] = ""
    mechanism: Annotated[Open[Mechanism], ADDED] = "copy"


class NotebookPart(Model, frozen=True, kw_only=True):
    """A notebook in the folder: the sha256 of its file, its code cells, and how many have run."""

    path: str
    sha256: str
    cells: int = 0
    executed: int = 0


class GitPart(Model, frozen=True, kw_only=True):
    """A git repository in the folder.

    `folder` is relative, `.` for the folder itself. `remote` has no credentials. `patch` is the
    sha256 of the blob with the changes since `commit`, empty without changes. `untracked` are
    the first paths that git does not know, `all_untracked` their number.
    """

    folder: str
    remote: str = ""
    commit: str = ""
    branch: str = ""
    dirty: bool = False
    patch: str = ""
    untracked: tuple[str, ...] = ()
    all_untracked: int = 0


class PackageSource(Model, frozen=True, kw_only=True):
    """Where a package came from that no index has, as its installer wrote it (PEP 610).

    `url` is that of a repository of `vcs`, such as `git`, at a `commit`; of an archive with its
    `sha256`; or of a folder. Of an `editable` folder in a repository of git, `commit` is what was
    checked out, and `remote` where it came from; it is `dirty` if its files differ from that. The
    package is in the `subdirectory`.
    """

    url: str
    vcs: str = ""
    commit: str = ""
    remote: str = ""
    subdirectory: str = ""
    sha256: str = ""
    editable: bool = False
    dirty: bool = False


class CondaPackage(Model, frozen=True, kw_only=True):
    """A package that conda has installed, as conda wrote it.

    `provides` are the names of the Python packages in it.
    """

    name: str
    version: str = ""
    build: str = ""
    channel: str = ""
    url: str = ""
    md5: str = ""
    sha256: str = ""
    provides: tuple[str, ...] = ()


class EnvironmentPart(Model, frozen=True, kw_only=True):
    """What the session runs with.

    `python` is the version of an `implementation` such as CPython, which manifests of earlier
    versions do not have. `prefix` is a Python prefix of this machine, `image` and `digest` those of
    a container. `packages` are versions by name, `sources` where those came from that no index
    has, `conda` what conda has installed. `cuda`, `driver` and `gpus` are empty where there are
    none.
    """

    python: str = ""
    implementation: Annotated[str, ADDED] = ""
    prefix: str = ""
    image: str = ""
    digest: str = ""
    packages: dict[str, str] = msgspec.field(default_factory=dict)
    sources: Annotated[dict[str, PackageSource], ADDED] = msgspec.field(default_factory=dict)
    conda: Annotated[tuple[CondaPackage, ...], ADDED] = ()
    cuda: str = ""
    driver: str = ""
    gpus: tuple[str, ...] = ()
    share: Share | None = None


class VolumePart(Model, frozen=True, kw_only=True):
    """A volume of the session: its copy, made by a `provider` such as `csi` or `lake`.

    `path` is where the session had it. `handle` names the copy to the provider, such as
    `NAMESPACE/VOLUMESNAPSHOT`; empty for a volume that is only recorded. `size` is in bytes, 0
    if unknown. `mechanism` says whether the copy is made at once or by copying bytes. `modes` are
    the access modes of a claim, as its cluster names them. `tree` are the files of a copy in a
    lake, whose version is its handle.
    """

    volume: str
    path: str = ""
    provider: str = ""
    handle: str = ""
    size: int = 0
    consistency: Open[Consistency] = "best-effort"
    mechanism: Open[Mechanism] = "copy"
    storage_class: str = ""
    modes: tuple[str, ...] = ()
    tree: Annotated[TreePart | None, ADDED] = None


class FilePart(Model, frozen=True, kw_only=True):
    """One file: an artifact or a log. `path` is that in the snapshot's tree, `size` in bytes."""

    path: str
    size: int
    sha256: str


class SkippedVariable(Model, frozen=True, kw_only=True):
    """A variable of a kernel that could not be stored, and why."""

    name: str
    reason: str


class KernelPart(Model, frozen=True, kw_only=True):
    """Chosen variables of a kernel, stored as the file `path` of the tree by a `provider`."""

    provider: str
    path: str = ""
    sha256: str = ""
    names: tuple[str, ...] = ()
    skipped: tuple[SkippedVariable, ...] = ()


class Manifest(Model, frozen=True, kw_only=True):
    """One snapshot.

    `session` is the id of the session, `name` its name. `author` is who asked for it, `owner`
    whom it belongs to. `parent` is the id of the snapshot before. `spec` is the session's without
    secrets. `metrics` are numbers by name; `mlflow_run` is the id of the run of MLflow that
    was begun last, `run` what it had recorded.
    `program` is the command line of the training code that took the snapshot. `job` is the id of
    the job that made it, by which whoever asked for it knows it.
    """

    schema: int = SCHEMA
    session: str
    name: str
    project: str
    owner: str
    author: str
    created: datetime
    parent: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    trigger: Open[Trigger] = "request"
    consistency: Open[Consistency] = "best-effort"
    spec: SessionSpec
    tree: TreePart | None = None
    notebooks: tuple[NotebookPart, ...] = ()
    git: tuple[GitPart, ...] = ()
    environment: EnvironmentPart = EnvironmentPart()
    data: tuple[DataMount, ...] = ()
    volumes: tuple[VolumePart, ...] = ()
    artifacts: tuple[FilePart, ...] = ()
    logs: tuple[FilePart, ...] = ()
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    mlflow_run: str = ""
    run: Annotated[Run | None, ADDED] = None
    program: Annotated[tuple[str, ...], ADDED] = ()
    job: Annotated[str, ADDED] = ""
    kernel: KernelPart | None = None
    problems: tuple[PartProblem, ...] = ()

    @property
    def trees(self) -> tuple[TreePart, ...]:
        """Everything that is stored in a lake: the session's folder first, then its volumes."""
        return tuple(each for each in (self.tree, *(part.tree for part in self.volumes)) if each)
