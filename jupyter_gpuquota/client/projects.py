"""Operations on projects: see, set, delete, and try out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import msgspec

from ..errors import FieldError, NotFound, refuse, refused
from ..model.base import Number
from ..model.projects import (
    AffinityRequest,
    ChangePreview,
    ProjectAnswer,
    ProjectRemoval,
    ProjectRequest,
    Projects,
    SettingsChange,
    request_of,
)
from ..model.quota import Project
from .context import Context
from .steps import Ask, Operation, ask

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class Settings(TypedDict, total=False):
    """Name what may be set of a project, as in `ProjectRequest`; GPUs, not milli-GPU."""

    quota: Number
    weight: Number | None
    limit: Number | None
    priority: int
    members: Sequence[str]
    leads: Sequence[str]
    viewers: Sequence[str]
    node_affinity: Mapping[str, Sequence[str]]
    interactive_duration: Number
    min_runtime: Number


def list_(context: Context) -> Operation[Projects]:
    """Show the projects as they are set."""
    found: Projects = yield from ask("projects.list")
    return found


def get(context: Context, name: str) -> Operation[Project]:
    """Show one project as it is set. Raises NotFound."""
    known = {project.name: project for project in (yield from list_(context)).items}
    if name not in known:
        hint = f"There are: {', '.join(known) or 'none'}."
        raise NotFound(f"There is no project {name!r}.", hint=hint)
    return known[name]


def put(context: Context, name: str, **settings: Unpack[Settings]) -> Operation[ProjectAnswer]:
    """Make a project, or change one: what is not named stays as it is.

    It is `quota=4`, `weight=2`, `limit=8`; `weight=None` and `limit=None` take them away. A new
    project needs a quota. Raises InvalidFields, NotAllowed, and Outdated if somebody else was
    quicker.
    """
    request = yield from _request(name, settings)
    answer: ProjectAnswer = yield Ask("projects.put", {"name": name}, body=request)
    return answer


def delete(context: Context, name: str, *, drain: bool = False) -> Operation[ProjectAnswer]:
    """Delete a project. Raises NotFound, NotAllowed, and InUse if it has sessions.

    With `drain` it starts nothing any more, and goes when the last of its sessions has ended.
    """
    _check_name(name)
    query = ProjectRemoval(drain=drain)
    answer: ProjectAnswer = yield Ask("projects.delete", {"name": name}, query=query)
    return answer


def preview(
    context: Context, name: str, *, deleted: bool = False, **settings: Unpack[Settings]
) -> Operation[ChangePreview]:
    """Say what the same `put` would do now, or with `deleted` the deletion; nothing changes."""
    if deleted:
        change = SettingsChange(delete=(name,))
    else:
        change = SettingsChange(put=((yield from _request(name, settings)),))
    answer: ChangePreview = yield from ask("settings.preview", body=change)
    return answer


def _request(name: str, settings: Settings) -> Operation[ProjectRequest]:
    _check_name(name)
    present = {project.name: project for project in (yield from ask("projects.list")).items}
    wanted = _plain(settings)
    if name in present:
        return msgspec.structs.replace(request_of(present[name]), **wanted)
    if "quota" not in wanted:
        hint = "Name it, for example 4; or the project is another."
        raise refused(FieldError("quota", f"{name} is new: it needs a quota.", hint))
    return ProjectRequest(name=name, **wanted)


def _check_name(name: str) -> None:
    """Refuse what cannot be a part of a path; the server knows the rest of the rule."""
    if not _NAME.fullmatch(name):
        message = "A name has small letters, digits and hyphens, at most 63."
        raise refused(FieldError("name", message, "For example team-a."))


def _plain(settings: Settings) -> dict[str, Any]:
    """Return the settings in the types of the request. Raises InvalidFields for a lone name."""
    wanted: dict[str, Any] = dict(settings)
    people = [field for field in ("members", "leads", "viewers") if field in wanted]
    refuse(
        FieldError(field, "This is one text, not a list of names.", f'For example ["{lone}"].')
        for field in people
        if isinstance(lone := wanted[field], str)
    )
    wanted |= {field: tuple(wanted[field]) for field in people}
    if "node_affinity" in wanted:
        groups = {kind: tuple(names) for kind, names in wanted["node_affinity"].items()}
        wanted["node_affinity"] = AffinityRequest(**groups)
    return wanted
