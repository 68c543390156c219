"""Datasets, with all their verbs."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError, refused
from ...model.datasets.datasets import Dataset, DatasetChange, DatasetList, DatasetRequest
from ...model.datasets.names import parse_name
from ..listing import Listing, Table
from .caches import Caches
from .files import Files
from .jobs import Jobs
from .lakes import Lakes
from .lineage import Lineages
from .transfers import Transfers
from .versions import Versions

DATASETS = Table[Dataset](
    columns={
        "name": lambda each: each.name,
        "project": lambda each: each.project,
        "owner": lambda each: each.owner,
        "versions": lambda each: each.versions,
        "latest": lambda each: each.latest.id if each.latest else "",
        "updated": lambda each: each.latest.time if each.latest else None,
        "files": lambda each: each.latest.files if each.latest else 0,
        "size": lambda each: each.latest.size if each.latest else 0,
        "cached": lambda each: each.cached,
        "lake": lambda each: each.lake,
        "own_lake": lambda each: each.own_lake,
        "readers": lambda each: list(each.readers),
        "writers": lambda each: list(each.writers),
        "description": lambda each: each.description,
        "created": lambda each: each.created,
        "problem": lambda each: each.problem,
    },
    shown=("name", "project", "owner", "versions", "updated", "files", "size", "cached", "lake"),
    empty="No datasets.",
)
"""`files` and `size` (in bytes) are those of the latest version."""


class Datasets(Versions, Files, Transfers, Caches, Jobs, Lakes, Lineages):
    """Datasets: their versions, files, cached copies, jobs, lakes and lineage.

    A version is named `NAME@REF`, a file `NAME@REF:PATH`. REF is `latest`, a tag, or the beginning
    of an id; without it the latest version is meant.
    """

    def list(self) -> Listing[Dataset, DatasetList]:
        """List the datasets that the caller may see."""
        answer: DatasetList = self._context.call("datasets.list")
        return Listing(answer, answer.items, DATASETS)

    def get(self, name: str) -> Dataset:
        """Return one dataset. Raises NotFound."""
        answer: Dataset = self._context.call("datasets.get", {"dataset": only_dataset(name)})
        return answer

    def init(
        self,
        name: str,
        *,
        lake: str = "",
        project: str = "",
        description: str = "",
        read: Sequence[str] = (),
        write: Sequence[str] = (),
    ) -> Dataset:
        """Create a dataset without versions.

        `lake` is the name of a lake, or the URL of one's own (`s3://bucket/prefix`, a folder as
        `file:///data/lake`); without it the default lake. Members of the projects in `read` may see
        and cache it, those in `write` also add versions; `*` is everyone. Raises InvalidFields,
        NameTaken.
        """
        request = DatasetRequest(
            name=name,
            lake=lake,
            project=project or self._context.project(),
            description=description,
            readers=_projects("read", read),
            writers=_projects("write", write),
        )
        answer: Dataset = self._context.call("datasets.create", body=request)
        return answer

    def share(
        self,
        name: str,
        *,
        read: Sequence[str] | None = None,
        write: Sequence[str] | None = None,
        project: str | None = None,
        description: str | None = None,
    ) -> Dataset:
        """Change who may see a dataset and add versions to it; None keeps what is there.

        `read` and `write` replace the projects that are there. Raises InvalidFields, NotAllowed.
        """
        change = DatasetChange(
            description=description,
            project=project,
            readers=None if read is None else _projects("read", read),
            writers=None if write is None else _projects("write", write),
        )
        args = {"dataset": only_dataset(name)}
        answer: Dataset = self._context.call("datasets.change", args, body=change)
        return answer

    def remove(self, name: str) -> None:
        """Remove a version, or with only a dataset's name the dataset and all its versions.

        Raises NotFound, NotAllowed, and InUse if sessions or pins need it.
        """
        named = parse_name(name)
        if named.path:
            hint = "Sync the folder without it."
            raise refused(FieldError("path", "A version never changes.", hint))
        if named.ref:
            self._call_version("versions.delete", name)
        else:
            self._context.call("datasets.delete", {"dataset": named.dataset})


def only_dataset(name: str) -> str:
    """Return the name of a dataset. Raises InvalidFields for that of a version or file."""
    named = parse_name(name)
    if named.ref or named.path:
        message = "Name the dataset without a version or path."
        raise refused(FieldError("dataset", message, f"For example {named.dataset}."))
    return named.dataset


def _projects(field: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return names of projects. Raises InvalidFields for a single text."""
    if isinstance(names, str):
        hint = f'Write ["{names}"].'
        raise refused(FieldError(field, "It must be a list of projects, not text.", hint))
    return tuple(names)
