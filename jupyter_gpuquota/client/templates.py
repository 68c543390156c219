"""Templates: named requests that sessions are launched from."""

from __future__ import annotations

from typing import Unpack

from ..model.resources import Share
from ..model.sessions import SessionFields
from ..model.templates import (
    OnShutdown,
    Template,
    TemplateList,
    TemplateRequest,
    TemplateScope,
)
from .listing import Listing, Table
from .namespace import Namespace
from .sessions import Wishes, template_named, typed

TEMPLATES = Table[Template](
    columns={
        "name": lambda each: each.name,
        "title": lambda each: each.title,
        "scope": lambda each: each.scope,
        "project": lambda each: each.project,
        "kind": lambda each: each.request.kind,
        "gpu": lambda each: each.request.gpu,
        "gpu_memory": lambda each: each.request.gpu_memory,
        "mig_profile": lambda each: each.request.mig_profile,
        "environment": lambda each: each.request.environment,
        "data": lambda each: list(each.request.data),
        "volumes": lambda each: list(each.request.volumes),
        "on_shutdown": lambda each: each.on_shutdown,
        "description": lambda each: each.description,
    },
    shown=("name", "title", "scope", "project", "kind", "gpu", "gpu_memory", "environment"),
    empty="No templates.",
)
"""Shares are as they were typed."""


class Templates(Namespace):
    """Templates, named by their name: an own one goes before one of admins."""

    def list(self) -> Listing[Template, TemplateList]:
        """List the templates that the caller may launch, own ones first."""
        answer: TemplateList = self._context.call("templates.list")
        return Listing(answer, answer.items, TEMPLATES)

    def get(self, name: str) -> Template:
        """Return one template. Raises NotFound."""
        return template_named(self._context, name)

    def save(
        self,
        name: str,
        *,
        session: str = "",
        title: str = "",
        description: str = "",
        on_shutdown: OnShutdown = "stop",
        shared: bool = False,
        **wishes: Unpack[Wishes],
    ) -> Template:
        """Save a template, with the fields of `sessions.submit`, or with those of a `session`.

        A template of this name is replaced. `on_shutdown` is what happens to a session that was
        launched as a kernel, once the kernel is shut down. Admins save a `shared` one for everybody
        who may launch in its project. Raises InvalidFields with all invalid fields, NotAllowed.
        """
        body = TemplateRequest(
            title=title,
            description=description,
            on_shutdown=on_shutdown,
            session=session,
            request=SessionFields(**typed(self._context, wishes)),
        )
        answer: Template = self._context.call("templates.put", _path(name, shared), body=body)
        return answer

    def delete(self, name: str, *, shared: bool = False) -> None:
        """Delete an own template, or with `shared` one of admins. Raises NotFound, NotAllowed."""
        self._context.call("templates.delete", _path(name, shared))


def share_text(template: Template) -> str:
    """Return the share of a template in words."""
    request = template.request
    share = Share(mig=request.mig_profile)
    size = str(request.gpu or "") or str(request.gpu_memory or "")
    if not size:
        return share.text
    unit = "" if request.gpu_memory else " GPU" if size in {"1", "1.0"} or "." in size else " GPUs"
    compute = f", {request.gpu_compute} % compute" if request.gpu_compute else ""
    return f"{size}{unit}{compute}"


def _path(name: str, shared: bool) -> dict[str, str]:  # noqa: FBT001 (private)
    scope: TemplateScope = "admin" if shared else "own"
    return {"scope": scope, "template": name}
