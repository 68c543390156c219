"""Read projects, node groups, rules and the policy from a YAML file; notice when it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from ..core.exemptions import projects_missing
from ..core.policy_check import check_policy
from ..core.projects import Known, check, check_groups, check_rules
from ..errors import FieldError, InvalidFields
from ..model.base import UNCHANGED, Request
from ..model.policy import (
    ExemptionRequest,
    PolicyLevelRequest,
    PolicyRequest,
    PolicyRulesRequest,
    QuietHoursRequest,
)
from ..model.projects import (
    AffinityRequest,
    GroupsRequest,
    NodeGroupRequest,
    ProjectRequest,
    RulesRequest,
)
from ..model.resources import Node
from .settings import Settings

SIZE_LIMIT = 1024 * 1024
"""Most bytes of a quota file."""


class _Loader(yaml.SafeLoader):
    """Read what looks like a time of the day or a date as the text that it is.

    YAML 1.1 takes `22:00` for the number 1320.
    """


_TIME = re.compile(r"[-+]?[0-9][0-9_]*:.*|[0-9]{4}-[0-9][0-9]?-.*", re.ASCII)
_Loader.yaml_implicit_resolvers = {
    first: [("tag:yaml.org,2002:str", _TIME), *resolvers]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class QuotaFileRequest(Request, frozen=True, kw_only=True):
    """The file as a whole."""

    projects: tuple[ProjectRequest, ...]
    groups: tuple[NodeGroupRequest, ...] = ()
    rules: RulesRequest = RulesRequest()
    policy: PolicyRequest = PolicyRequest()


class QuotaFile:
    """Watch the file. `settings` is what was last read well, None before; `problem` what is wrong.

    Looking costs one `stat`; the file is read only when that tells of a change. `every` is the
    seconds between two looks at a session.
    """

    def __init__(self, path: str, every: int = 30) -> None:
        self._every = every
        self.path = Path(path).expanduser()
        self.settings: Settings | None = None
        self.problem = ""
        self._seen: tuple[int, ...] | None = None
        self._nodes: Sequence[Node] = ()

    def changed(self) -> bool:
        """Return whether the file is another than the one that was read last."""
        return self._stamp() != self._seen

    def look(self, nodes: Sequence[Node]) -> None:
        """Read the file if it or the nodes have changed; keep what was in force if it is bad.

        A file that changes meanwhile is being written: it is left for the next look.
        """
        stamp = self._stamp()
        if stamp == self._seen and nodes == self._nodes:
            return
        found, problem = self._read(nodes)
        if stamp != self._stamp():
            return
        self._seen, self._nodes = stamp, nodes
        self.settings, self.problem = found or self.settings, problem

    def _read(self, nodes: Sequence[Node]) -> tuple[Settings | None, str]:
        try:
            return read(self._text(), nodes, self._every), ""
        except (OSError, ValueError) as error:
            kept = "What was read last stays in force." if self.settings else "It is left alone."
            said = error.strerror if isinstance(error, OSError) else str(error)
            return None, f"The quota file {self.path} cannot be used: {said} {kept}"

    def _stamp(self) -> tuple[int, ...]:
        try:
            found = self.path.stat()
        except OSError as error:
            return (error.errno or 0,)
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    def _text(self) -> str:
        with self.path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
        if len(data) > SIZE_LIMIT:
            raise ValueError(f"It is larger than {SIZE_LIMIT} bytes.")
        return data.decode("utf-8")


def read(text: str, nodes: Sequence[Node], every: int = 30) -> Settings:
    """Return what a file's text sets. Raises ValueError that names every mistake with its line."""
    try:
        _refuse_aliases(text)
        root = yaml.compose(text, Loader=_Loader)
        plain = yaml.load(text, Loader=_Loader)  # noqa: S506 (it is a SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"It is no YAML: {' '.join(str(error).split())}.") from error
    if root is None or not isinstance(plain, dict):
        raise ValueError("It must have a list under `projects`.")
    lines = dict(_lines(root, ""))
    problems = [*_unknown_keys(root), *_twice(root)]
    settings = None
    try:
        asked = msgspec.convert(_known(plain), QuotaFileRequest)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        problems.append(_at(lines, path.strip("`.").replace("...", ""), f"{message}."))
    else:
        settings, errors = _settings(asked, nodes, every)
        problems += [_at(lines, e.field, f"{e.message} {e.hint}") for e in errors]
    if problems or settings is None:
        raise ValueError(" ".join(problems))
    return settings


def _refuse_aliases(text: str) -> None:
    """Raise ValueError for a reference to another part: a few of them can stand for millions."""
    events = yaml.parse(text, Loader=yaml.SafeLoader)
    if names := [event.anchor for event in events if isinstance(event, yaml.AliasEvent)]:
        raise ValueError(f"Write *{names[0]} out: references to other parts are not taken.")


def _settings(
    asked: QuotaFileRequest, nodes: Sequence[Node], every: int
) -> tuple[Settings | None, list[FieldError]]:
    """Return what is set, or what is wrong with it."""
    errors: list[FieldError] = []
    groups = GroupsRequest(groups=asked.groups, revision=UNCHANGED)
    rules = msgspec.structs.replace(asked.rules, revision=UNCHANGED)
    found: dict[str, Any] = {}
    checked_groups, wrong = _try(lambda: check_groups(groups, nodes, ()))
    errors += wrong
    known = Known(nodes=nodes, groups=checked_groups) if checked_groups else Known(nodes=nodes)
    checked_rules, wrong = _try(lambda: check_rules(rules))
    errors += [FieldError(f"rules.{e.field}", e.message, e.hint) for e in wrong]
    for i, request in enumerate(asked.projects):
        here = msgspec.structs.replace(request, revision=UNCHANGED)
        if request.name in found:
            message = f"The project {request.name} is there twice."
            errors.append(FieldError(f"projects[{i}].name", message))
        found[request.name], wrong = _try(
            lambda here=here, i=i: check(here, known, prefix=f"projects[{i}].")
        )
        errors += wrong
    policy, wrong = _try(lambda: check_policy(asked.policy, list(found), every))
    wrong = (*wrong, *projects_missing(asked.policy, list(found)))
    errors += [FieldError(f"policy.{e.field}", e.message, e.hint) for e in wrong]
    if errors:
        return None, errors
    settings = Settings(
        projects=tuple(found.values()),
        rules=checked_rules,
        groups=checked_groups,
        policy=msgspec.structs.replace(policy, revision=UNCHANGED),
        source="file",
    )
    return settings, []


def _try(work: Any) -> tuple[Any, tuple[FieldError, ...]]:
    try:
        return work(), ()
    except InvalidFields as error:
        return None, error.fields


def _lines(node: yaml.Node, path: str) -> Iterator[tuple[str, int]]:
    """Map each value's path (`projects[0].quota`) to its line."""
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _lines(value, f"{path}.{key.value}".lstrip("."))
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            yield from _lines(value, f"{path}[{i}]")


def _at(lines: dict[str, int], path: str, message: str) -> str:
    """Return where a mistake is: the line of its value, or of the nearest thing around it."""
    around = path
    while around and around not in lines:
        around = around.rpartition("[" if around.endswith("]") else ".")[0]
    return f"Line {lines.get(around, 1)}, {path or 'the file'}: {message.strip()}"


_KEYS: dict[str, type[Request]] = {
    "": QuotaFileRequest,
    "projects": ProjectRequest,
    "projects.node_affinity": AffinityRequest,
    "groups": NodeGroupRequest,
    "rules": RulesRequest,
    "policy": PolicyRequest,
    "policy.levels": PolicyLevelRequest,
    "policy.levels.rules": PolicyRulesRequest,
    "policy.levels.rules.quiet_hours": QuietHoursRequest,
    "policy.exemptions": ExemptionRequest,
}


def _keys(path: str) -> list[str]:
    return [field.name for field in msgspec.structs.fields(_KEYS[path]) if field.name != "revision"]


def _known(value: Any, path: str = "") -> Any:
    """Return what is left without keys that mean nothing, to find what else is wrong."""
    if isinstance(value, list):
        return [_known(each, path) for each in value]
    if not isinstance(value, dict) or path not in _KEYS:
        return value
    keys = _keys(path)
    return {
        key: _known(each, f"{path}.{key}".lstrip(".")) for key, each in value.items() if key in keys
    }


def _unknown_keys(node: yaml.Node, path: str = "") -> Iterator[str]:
    """Yield every key that means nothing, with its line."""
    if isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _unknown_keys(value, path)
    elif isinstance(node, yaml.MappingNode) and path in _KEYS:
        known = _keys(path)
        for key, value in node.value:
            if key.value not in known:
                there = ", ".join(known)
                line = key.start_mark.line + 1
                yield f"Line {line}: there is no key {key.value!r}; there are {there}."
            yield from _unknown_keys(value, f"{path}.{key.value}".lstrip("."))


def _twice(node: yaml.Node) -> Iterator[str]:
    """Yield every key that stands twice in one mapping: YAML would drop the first in silence."""
    if isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _twice(value)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                yield f"Line {key.start_mark.line + 1}: {name!r} stands there twice."
            seen.add(name)
            yield from _twice(value)
