"""Templates: named requests that sessions are launched from."""

from __future__ import annotations

from typing import Literal, get_args

from .sessions import Kind, SessionFields
from .struct import Model, Open, Request

TemplateScope = Literal["own", "admin"]
OnShutdown = Literal["stop", "suspend"]
TemplateAction = Literal["change", "delete"]

TEMPLATE_SCOPES: tuple[TemplateScope, ...] = get_args(TemplateScope)
TEMPLATE_ACTIONS: tuple[TemplateAction, ...] = get_args(TemplateAction)


class TemplateFields(SessionFields, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The request of a template or a session, as it is shown: readers ignore unknown fields."""

    kind: Open[Kind] = "interactive"


class Template(Model, frozen=True, kw_only=True):
    """A named request, as a caller sees it.

    `owner` is empty for those of admins, which everyone sees who may launch in their project; in
    any project if the request names none. `on_shutdown` is what happens to a session that was
    launched as a kernel, once that kernel is shut down. `actions` are what the caller may do.
    """

    name: str
    title: str = ""
    description: str = ""
    scope: Open[TemplateScope] = "own"
    owner: str = ""
    request: TemplateFields = TemplateFields()
    on_shutdown: Open[OnShutdown] = "stop"
    actions: tuple[Open[TemplateAction], ...] = ()

    @property
    def project(self) -> str:
        """The project whose quota its sessions use; empty for the caller's first."""
        return self.request.project


class TemplateList(Model, frozen=True, kw_only=True):
    """The templates that the caller may launch: own ones first, then by name."""

    items: tuple[Template, ...] = ()


class TemplateTexts(Request, frozen=True, kw_only=True):
    """What a template is called, and what becomes of its sessions."""

    title: str = ""
    description: str = ""
    on_shutdown: OnShutdown = "stop"


class TemplateRequest(TemplateTexts, frozen=True, kw_only=True):
    """A template to save; with a `session`, its request is taken instead of `request`."""

    request: SessionFields = SessionFields()
    session: str = ""


class TemplateEntry(TemplateTexts, frozen=True, kw_only=True):
    """A template of admins, in the quota file."""

    name: str
    request: SessionFields = SessionFields()
