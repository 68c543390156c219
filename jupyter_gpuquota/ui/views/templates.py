"""Templates."""

from __future__ import annotations

from ...client.templates import TEMPLATES, share_text
from ...model.templates import Template, TemplateList
from .markup import Markup, join, tag
from .sessions import KINDS
from .view import Column, Row, TableView, View, pairs_html, pairs_text

_NONE = "No templates. Save one: jupyter gpu template save NAME --from SESSION."


class TemplatesView(TableView[TemplateList, Template]):
    """Templates that the caller may launch."""

    def __init__(self, data: TemplateList) -> None:
        super().__init__(data, data.items, TEMPLATES, _COLUMNS, "Templates", empty=_NONE)


class TemplateView(View[Template]):
    """One template; `note` says what has just happened to it."""

    def __init__(self, data: Template, *, note: str = "") -> None:
        super().__init__(data)
        self._note = note

    @property
    def text(self) -> str:
        """Return what has happened, or else the details, one a line."""
        return self._note or pairs_text(_pairs(self.data))

    @property
    def body(self) -> Markup:
        """Return the same as a table."""
        table = pairs_html(_pairs(self.data), "Template")
        return join(tag("p", self._note), table) if self._note else table

    @property
    def records(self) -> list[Row]:
        """Return one row."""
        return TEMPLATES.rows([self.data])


def _pairs(data: Template) -> list[tuple[str, str]]:
    asked = data.request
    return [
        ("template", data.name),
        ("title", data.title),
        ("description", data.description),
        ("owner", _owner(data)),
        ("project", data.project),
        ("kind", asked.kind),
        ("share", share_text(data)),
        ("environment", asked.environment),
        ("folder", asked.folder),
        ("command", " ".join((*asked.command, *asked.args))),
        ("environment variables", ", ".join(asked.env)),
        ("memory", str(asked.memory)),
        ("datasets", ", ".join(asked.data)),
        ("volumes", ", ".join(asked.volumes)),
        ("node group", asked.node_type),
        ("idle timeout", str(asked.idle_timeout)),
        ("when its kernel is shut down", data.on_shutdown),
    ]


def _owner(data: Template) -> str:
    return data.owner or "administrators"


_COLUMNS: list[Column[Template]] = [
    Column("NAME", lambda each: each.name, whole=True),
    Column("TITLE", lambda each: each.title),
    Column("OWNER", _owner),
    Column("PROJECT", lambda each: each.project),
    Column("KIND", lambda each: KINDS.get(each.request.kind, each.request.kind)),
    Column("SHARE", share_text),
    Column("ENVIRONMENT", lambda each: each.request.environment),
    Column("DATA", lambda each: ", ".join((*each.request.data, *each.request.volumes))),
]
