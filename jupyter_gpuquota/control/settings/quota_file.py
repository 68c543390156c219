"""What admins set in a YAML file that is watched: projects, policy, lakes, volumes, templates."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import msgspec

from ... import accounts
from ...core.datasets.settings import check_data
from ...core.decoding import decode
from ...core.fields import FieldReader
from ...core.idle.exemptions import projects_missing
from ...core.idle.policy_check import check_policy
from ...core.projects import Known, check, check_groups, check_rules, labelled
from ...core.templates import check_entries
from ...core.volumes.uses import check_shared
from ...errors import FieldError
from ...model.datasets.settings import CacheRulesRequest, DataSettingsRequest, LakeRequest
from ...model.policy import PolicyRequest
from ...model.projects import GroupsRequest, NodeGroupRequest, ProjectRequest, RulesRequest
from ...model.quota import Project
from ...model.resources import Node
from ...model.struct import UNCHANGED, Request
from ...model.templates import TemplateEntry
from ...model.volumes.volumes import VolumeEntry
from ...yaml_document import InvalidYaml, YamlDocument
from .settings import Settings

SIZE_LIMIT = 256 * 1024
"""Most bytes of a quota file; so large a one takes about two seconds to read."""

_SAID = 20
"""Most mistakes that one message names."""

_IGNORED = "The file is ignored until it is fixed."


class QuotaFileRequest(Request, frozen=True, kw_only=True):
    """The file as a whole; it has no projects where an engine has them."""

    projects: tuple[ProjectRequest, ...] | None = None
    groups: tuple[NodeGroupRequest, ...] = ()
    rules: RulesRequest = RulesRequest()
    policy: PolicyRequest = PolicyRequest()
    lakes: tuple[LakeRequest, ...] = ()
    cache: CacheRulesRequest = CacheRulesRequest()
    volumes: tuple[VolumeEntry, ...] = ()
    templates: tuple[TemplateEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Present:
    """What a file is checked against.

    `owned` are the projects of an engine, None where the file has them; `every` is the seconds
    between two activity checks of a session.
    """

    nodes: Sequence[Node] = ()
    owned: tuple[Project, ...] | None = None
    every: int = 30


class QuotaFile:
    """A watched file; `settings` are the last valid ones, None before, `problem` what is wrong.

    A check costs one `stat`; the file is read only if that shows a change.
    """

    def __init__(self, path: str) -> None:
        self.path = accounts.expanded(path)
        self.settings: Settings | None = None
        self.problem = ""
        self._seen: tuple[int, ...] | None = None
        self._present = Present()

    def changed(self) -> bool:
        """Return whether the file has changed since it was last read."""
        return self._stamp() != self._seen

    def look(self, present: Present) -> None:
        """Read the file if it or `present` has changed; keep the last settings if it is invalid.

        A file that changes meanwhile is being written: it is left for the next call.
        """
        stamp = self._stamp()
        if stamp == self._seen and present == self._present:
            return
        found, problem = self._read(present)
        if stamp != self._stamp():
            return
        self._seen, self._present = stamp, present
        self.settings, self.problem = found or self.settings, problem

    def _read(self, present: Present) -> tuple[Settings | None, str]:
        try:
            return read(self._data(), present), ""
        except (OSError, ValueError) as error:
            kept = "The last valid version stays in force." if self.settings else _IGNORED
            said = f"{error.strerror}." if isinstance(error, OSError) else str(error)
            return None, f"The quota file {self.path} cannot be used: {said} {kept}"

    def _stamp(self) -> tuple[int, ...]:
        try:
            found = self.path.stat()
        except OSError as error:
            return (error.errno or 0,)
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    def _data(self) -> bytes:
        # Opening a pipe would wait until somebody writes to it.
        number = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise ValueError("It is not a regular file.")
            with os.fdopen(number, "rb", closefd=False) as file:
                return file.read(SIZE_LIMIT + 1)
        finally:
            os.close(number)


class Mistakes(ValueError):
    """What is wrong with a file: the field of each error begins with its line."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        texts = [f"{each.field}: {each.message} {each.hint}".rstrip() for each in errors]
        more = len(texts) - _SAID
        super().__init__(" ".join(texts[:_SAID] + [f"And {more} more."] * (more > 0)))
        self.errors = tuple(errors)


def read(data: bytes, present: Present) -> Settings:
    """Return the settings in a file. Raises Mistakes with every mistake and its line."""
    try:
        document = YamlDocument(data, SIZE_LIMIT)
    except InvalidYaml as error:
        found = (FieldError(f"Line {max(each.line, 1)}", each.message) for each in error.problems)
        raise Mistakes(tuple(found)) from error
    reader, settings = FieldReader(), None
    if request := decode(document.plain, QuotaFileRequest, reader, hidden={"revision"}):
        settings = _settings(request, present, reader)
    if reader.errors or settings is None:
        raise Mistakes(
            [
                replace(each, field=f"Line {document.line(each.field)}, {each.field or 'the file'}")
                for each in reader.errors
            ]
        )
    return settings


def _settings(asked: QuotaFileRequest, present: Present, reader: FieldReader) -> Settings | None:
    """Return the settings; None if they break rules."""
    nodes = present.nodes
    groups = GroupsRequest(groups=asked.groups, revision=UNCHANGED)
    rules = msgspec.structs.replace(asked.rules, revision=UNCHANGED)
    checked_groups = reader.take(lambda: check_groups(groups, nodes, ()))
    known = Known(nodes=nodes, groups=checked_groups) if checked_groups else Known(nodes=nodes)
    checked_rules = reader.under("rules.").take(lambda: check_rules(rules))
    found = _projects(asked.projects, present.owned, known, reader)
    names = list(found)
    inside = reader.under("policy.")
    policy = inside.take(lambda: check_policy(asked.policy, names, present.every))
    inside.add(projects_missing(asked.policy, names))
    wanted = DataSettingsRequest(lakes=asked.lakes, cache=asked.cache, revision=UNCHANGED)
    data = reader.take(lambda: check_data(wanted, names))
    volumes = check_shared(asked.volumes, names, reader)
    projects = tuple(project for project in found.values() if project)
    grouped = labelled(nodes, known.groups)
    templates = check_entries(asked.templates, projects, grouped, reader)
    if not (checked_rules and checked_groups and policy and data):
        return None
    return Settings(
        projects=projects,
        rules=checked_rules,
        groups=checked_groups,
        policy=msgspec.structs.replace(policy, revision=UNCHANGED),
        data=data,
        volumes=volumes,
        templates=templates,
        source="file",
    )


def _projects(
    asked: Sequence[ProjectRequest] | None,
    owned: tuple[Project, ...] | None,
    known: Known,
    reader: FieldReader,
) -> dict[str, Project | None]:
    """Return the projects by name: None for one that breaks rules."""
    if owned is not None:
        if asked is not None:
            hint = "Remove this part, and set quotas with `jupyter gpu project set`."
            reader.untranslated("projects", "The cluster's engine has the projects.", hint)
        return {project.name: project for project in owned}
    if asked is None:
        reader.untranslated("projects", "Required.")
    found: dict[str, Project | None] = {}
    for i, request in enumerate(asked or ()):
        here = msgspec.structs.replace(request, revision=UNCHANGED)
        inside = reader.under(f"projects[{i}].")
        if request.name in found:
            inside.wrong("name", "name.twice", name=request.name)
        found[request.name] = inside.take(partial(check, here, known))
    return found
