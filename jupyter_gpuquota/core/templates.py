"""Templates: who sees and changes them, and what may be saved.

===== ==============================================================================
scope who sees one, and who may change it
===== ==============================================================================
own   its owner only
admin callers who may launch in its project, in any if it names none; admins change it
===== ==============================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from ..errors import NotFound, refuse
from ..model.environments import Environment, LaunchPlace
from ..model.pods import ContainerRules
from ..model.quota import Project
from ..model.resources import Node
from ..model.sessions import SessionFields, SessionRequest
from ..model.templates import (
    TEMPLATE_ACTIONS,
    TEMPLATE_SCOPES,
    Template,
    TemplateEntry,
    TemplateFields,
    TemplateScope,
    TemplateTexts,
)
from .access import Rights
from .fields import FieldReader
from .requests import specs

MOST = 100
"""The most templates of one account."""

_TEXTS: Mapping[str, int] = {"title": 80, "description": 400}
"""The most characters of each text."""


def seen(templates: Iterable[Template], rights: Rights, *, by_file: bool) -> tuple[Template, ...]:
    """Return the templates that a caller may launch, with actions: own ones first, then by name.

    `by_file`: nobody can change those of admins here.
    """
    shown = (_shown(each, rights, by_file=by_file) for each in templates if _sees(each, rights))
    return tuple(sorted(shown, key=lambda each: (not each.owner, each.name)))


def find(scope: str, name: str, templates: Iterable[Template]) -> Template:
    """Return one of the templates that a caller sees. Raises NotFound."""
    named = [each for each in templates if each.scope == scope]
    found = next((each for each in named if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in named)
        hint = f"There are: {names}." if names else "Save one: jupyter gpu template save NAME."
        raise NotFound(f"Template {name!r} not found.", hint=hint)
    return found


def scope_of(text: str) -> TemplateScope:
    """Return the scope that a path names. Raises NotFound."""
    found = next((scope for scope in TEMPLATE_SCOPES if scope == text), None)
    if found is None:
        raise NotFound(f"Unknown scope: {text!r}.", hint=f"Scopes: {', '.join(TEMPLATE_SCOPES)}.")
    return found


def key_of(template: Template) -> tuple[str, str]:
    """Return what identifies a template: its owner, and its name."""
    return template.owner, template.name


def check_texts(texts: TemplateTexts, reader: FieldReader) -> None:
    """Check title and description."""
    for field, most in _TEXTS.items():
        text: str = getattr(texts, field)
        if len(text) > most or not (text.isprintable() or not text):
            hint = f"Use one line of at most {most} characters."
            reader.untranslated(field, "It is too long, or has several lines.", hint)


def check_count(template: Template, templates: Iterable[Template]) -> None:
    """Raise InvalidFields if its owner has as many templates as one may have."""
    others = [each for each in templates if each.owner == template.owner]
    if template.owner and len(others) >= MOST and key_of(template) not in map(key_of, others):
        reader = FieldReader()
        reader.untranslated("name", f"You have {MOST} templates.", "Delete one first.")
        refuse(reader.errors)


def requested(fields: SessionFields, name: str) -> SessionRequest:
    """Return the launch of a template as it is checked, with the template's name."""
    return SessionRequest(name=name, **structs.asdict(fields))


def stored(fields: SessionFields) -> TemplateFields:
    """Return fields as a template keeps them: the URL is that of whoever launches."""
    return TemplateFields(**{**structs.asdict(fields), "base_url": "/"})


def check_entries(
    entries: Sequence[TemplateEntry],
    projects: Sequence[Project],
    nodes: Sequence[Node],
    reader: FieldReader,
) -> tuple[Template, ...]:
    """Return the templates of a quota file, and note every problem that a file can have.

    Environment, folder, datasets and volumes are checked when a session is launched.
    """
    taken: set[str] = set()
    found = []
    for i, entry in enumerate(entries):
        inside = reader.under(f"templates[{i}].")
        if entry.name in taken:
            inside.wrong("name", "name.twice", name=entry.name)
        taken.add(entry.name)
        check_texts(entry, inside)
        _check_request(entry, projects, nodes, inside)
        found.append(
            Template(
                name=entry.name,
                title=entry.title,
                description=entry.description,
                scope="admin",
                request=stored(entry.request),
                on_shutdown=entry.on_shutdown,
            )
        )
    return tuple(found)


def _check_request(
    entry: TemplateEntry, projects: Sequence[Project], nodes: Sequence[Node], reader: FieldReader
) -> None:
    """Check what does not depend on the machine or the caller."""
    request = structs.replace(requested(entry.request, entry.name), data=(), volumes=())
    place = LaunchPlace(environment=Environment(id="any", label="any"), folder="/")
    facts = specs.Facts(
        projects=projects, nodes=nodes, place=place, containers=ContainerRules(), partial=True
    )
    problems = FieldReader()
    problems.take(lambda: specs.check(request, facts))
    named = [error for error in problems.errors if error.field == "name"]
    reader.add(named)
    reader.under("request.").add(error for error in problems.errors if error not in named)


def _sees(template: Template, rights: Rights) -> bool:
    if rights.caller.session:
        return False
    if template.owner:
        return template.owner == rights.caller.name
    project = template.project
    return rights.admin or not project or rights.launches(project)


def _shown(template: Template, rights: Rights, *, by_file: bool) -> Template:
    changes = bool(template.owner) or (rights.may("admin") and not by_file)
    return structs.replace(template, actions=TEMPLATE_ACTIONS if changes else ())
