"""Volumes that sessions share."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict, Unpack

from ..errors import Ambiguous, FieldError, NotFound, refused
from ..model.struct import Number
from ..model.volumes.volumes import (
    Volume,
    VolumeChange,
    VolumeList,
    VolumeQuery,
    VolumeRequest,
)
from .connection.context import Context
from .listing import Listing, Table

VOLUMES = Table[Volume](
    columns={
        "name": lambda each: each.name,
        "project": lambda each: each.project,
        "owner": lambda each: each.owner,
        "size": lambda each: each.size,
        "used": lambda each: each.used,
        "modes": lambda each: list(each.modes),
        "class": lambda each: each.storage_class,
        "state": lambda each: each.state,
        "read_only": lambda each: each.read_only,
        "nodes": lambda each: list(each.nodes),
        "zones": lambda each: list(each.zones),
        "mounted_by": lambda each: [use.name for use in each.uses],
        "folder": lambda each: each.folder,
        "level": lambda each: each.level,
        "description": lambda each: each.description,
        "created": lambda each: each.created,
    },
    shown=("name", "project", "owner", "size", "used", "modes", "class", "state", "mounted_by"),
    empty="No volumes.",
)
"""`size` and `used` are in bytes."""


class VolumeWishes(TypedDict, total=False):
    """The fields of `VolumeRequest` that may be set."""

    storage_class: str
    size: Number
    mode: str
    folder: str
    read_only: bool
    level: str
    source: str
    description: str


class Volumes:
    """Volumes, named by a bare name in any project that the caller sees, or `project/name`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def list(self, *, project: str = "") -> Listing[Volume, VolumeList]:
        """List the volumes that the caller may see, of one project if it is named."""
        query = VolumeQuery(project=project)
        answer: VolumeList = self._context.call("volumes.list", query=query)
        return Listing(answer, answer.items, VOLUMES)

    def get(self, name: str, *, project: str = "") -> Volume:
        """Return one volume. Raises NotFound, Ambiguous."""
        answer: Volume = self._context.call("volumes.get", self._path(name, project))
        return answer

    def create(self, name: str, *, project: str = "", **wishes: Unpack[VolumeWishes]) -> Volume:
        """Create a volume, for example with `size="10Gi"` and `mode="RWX"`.

        `folder` shares an existing folder of this machine instead of making one. `source` names a
        volume of the project to clone. Raises InvalidFields, NameTaken.
        """
        given: dict[str, Any] = {**wishes, "size": str(wishes.get("size", ""))}
        if folder := wishes.get("folder"):
            given["folder"] = str(Path(folder).absolute())
        source = wishes.get("source", "")
        if source and ":" not in source:
            given["source"] = f"volume:{source}"
        request = VolumeRequest(name=name, project=project or self._context.project(), **given)
        answer: Volume = self._context.call("volumes.create", body=request)
        return answer

    def grow(self, name: str, size: Number, *, project: str = "") -> Volume:
        """Let a volume grow to a size: `20Gi`. Raises NotFound, NotAllowed, InvalidFields."""
        return self.change(name, size=size, project=project)

    def change(
        self,
        name: str,
        *,
        size: Number | None = None,
        level: str | None = None,
        read_only: bool | None = None,
        description: str | None = None,
        project: str = "",
    ) -> Volume:
        """Change a volume; None keeps what is there. Raises NotFound, NotAllowed, InvalidFields."""
        change = VolumeChange(
            size=None if size is None else str(size),
            level=level,
            read_only=read_only,
            description=description,
        )
        args = self._path(name, project)
        answer: Volume = self._context.call("volumes.change", args, body=change)
        return answer

    def delete(self, name: str, *, project: str = "") -> None:
        """Delete a volume and its files; those of a registered folder are kept.

        Raises NotFound, NotAllowed, and InUse with the sessions that mount it.
        """
        self._context.call("volumes.delete", self._path(name, project))

    def _path(self, name: str, project: str) -> dict[str, str]:
        """Return the address of a volume; a bare name is looked up. Raises NotFound, Ambiguous."""
        before, slash, short = name.rpartition("/")
        if slash and project and project != before:
            raise refused(FieldError("project", f"{name} is of another project.", "Name one."))
        if wanted := before or project:
            return _address(wanted, short)
        found = [each for each in self.list() if each.name == short]
        if not found:
            raise NotFound(f"Volume {name!r} not found.", hint="See: jupyter gpu volume list.")
        own = [each for each in found if each.project == self._context.project()]
        if len(found) > 1 and not own:
            full = ", ".join(f"{each.project}/{each.name}" for each in found)
            raise Ambiguous(f"{len(found)} volumes are named {short}: {full}.", hint="Use -p.")
        return _address((own or found)[0].project, short)


def _address(project: str, volume: str) -> dict[str, str]:
    """Return the parts of a volume's path; `~` stands for the slash after a cluster."""
    return {"project": project.replace("/", "~"), "volume": volume}
