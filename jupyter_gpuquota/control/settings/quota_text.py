"""Settings as the text of a quota file: the inverse of `quota_file.read`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from msgspec import Struct, structs

from ...core.fields import FieldReader
from ...core.idle.exemptions import resolve_known
from ...errors import refused
from ...model.datasets.settings import request_of as data_request
from ...model.policy import SPANS, PolicyRequest
from ...model.policy import request_of as policy_request
from ...model.projects import ProjectRequest, RulesRequest, SettingsText, group_request_of
from ...model.projects import request_of as project_request
from ...model.quota import Project, Rules
from ...model.sessions import Session, SessionFields
from ...model.spans import write_span
from ...model.struct import Request
from ...model.templates import Template, TemplateEntry
from ...model.volumes.volumes import SharedFolder, VolumeEntry
from ...yaml_document import yaml_text
from .quota_file import Mistakes, Present, QuotaFileRequest, read
from .settings import Settings

R = TypeVar("R", bound=Request)

_TIMES = frozenset({*SPANS, "interactive_duration", "min_runtime", "grace"})


def text_of(settings: Settings, file: str = "") -> SettingsText:
    """Return the settings of admins as a quota file has them; what is usual is left out.

    `file` is the path of the file that sets them. An engine's projects are in no file.
    """
    has_projects = settings.source != "engine"
    data = data_request(settings.data)
    text = _text(
        QuotaFileRequest(
            projects=tuple(map(_project, settings.projects)) if has_projects else None,
            groups=tuple(map(group_request_of, settings.groups.items)),
            rules=_rules(settings.rules),
            policy=_policy(policy_request(settings.policy)),
            lakes=data.lakes,
            cache=data.cache,
            volumes=tuple(map(_volume, settings.volumes)),
            templates=tuple(_template(each) for each in settings.templates if not each.owner),
        )
    )
    revision = hashlib.sha256(text.encode()).hexdigest()[:16]
    return SettingsText(text=text, revision=revision, file=file)


def settings_of(text: str, present: Present, sessions: Sequence[Session]) -> Settings:
    """Return the settings of a text that is not a file. Raises InvalidFields, with their lines."""
    try:
        found = read(text.encode(), present)
    except Mistakes as error:
        raise refused(*error.errors) from error
    policy, missing = resolve_known(found.policy, sessions, datetime.now(UTC))
    reader = FieldReader()
    for problem in missing:
        reader.untranslated("policy.exemptions", problem)
    if found.volumes:
        hint = "Name it in c.GpuQuota.quota_file."
        reader.untranslated("volumes", "Only a file on the server can share folders.", hint)
    reader.finish()
    return structs.replace(found, policy=policy)


def template_text(template: Template) -> str:
    """Return a template of admins as a quota file has it."""
    return _text(_template(template))


def _text(request: Request) -> str:
    plain = _plain(request)
    return yaml_text(plain) if plain else ""


def _project(project: Project) -> ProjectRequest:
    request = project_request(project)
    amounts = {name: _number(getattr(request, name)) for name in ("quota", "weight", "limit")}
    return _with_spans(structs.replace(request, **amounts))


def _number(text: object) -> object:
    return int(text) if isinstance(text, str) and text.isdecimal() else text


def _rules(rules: Rules) -> RulesRequest:
    request = RulesRequest(
        grace=rules.grace, min_runtime=rules.min_runtime, consolidate=rules.consolidate
    )
    return _with_spans(request)


def _policy(request: PolicyRequest) -> PolicyRequest:
    levels = (structs.replace(each, rules=_with_spans(each.rules)) for each in request.levels)
    return structs.replace(request, levels=tuple(levels))


def _volume(folder: SharedFolder) -> VolumeEntry:
    return VolumeEntry(
        **{**structs.asdict(folder), "size": f"{folder.size >> 20}Mi" if folder.size else ""}
    )


def _template(template: Template) -> TemplateEntry:
    return TemplateEntry(
        name=template.name,
        title=template.title,
        description=template.description,
        on_shutdown=template.on_shutdown,
        request=SessionFields(**structs.asdict(template.request)),
    )


def _with_spans(request: R) -> R:
    """Return a request with its times as an admin types them: `8h`."""
    found = {
        field.name: write_span(value)
        for field in structs.fields(request)
        if field.name in _TIMES and isinstance(value := getattr(request, field.name), int)
        if value != field.default
    }
    return structs.replace(request, **found)


def _plain(value: Any) -> Any:
    """Return a request as plain values, names first, without revisions and what is usual."""
    if isinstance(value, Struct):
        fields = sorted(structs.fields(value), key=lambda field: field.name != "name")
        found = {
            field.encode_name: _plain(each)
            for field in fields
            if field.name != "revision" and not _is_usual(field, each := getattr(value, field.name))
        }
        return {name: each for name, each in found.items() if each != {}}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _is_usual(field: structs.FieldInfo, value: object) -> bool:
    """Return whether a value is what an absent field stands for."""
    if field.required:
        return False
    make = field.default_factory
    return bool(value == (make() if callable(make) else field.default))
