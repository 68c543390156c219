"""Mount the REST interface in a Jupyter Server, where Jupyter authenticates and authorises."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import msgspec
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import ensure_async
from tornado import web

from ..api.dispatch import Answer, Dispatcher
from ..api.handlers import Api, Verb, make_handlers
from ..api.json_schema import PUBLIC
from ..model.quota import Quota
from ..model.routes import Route

RESOURCE = "gpuquota"
"""What an Authorizer is asked about."""

ADMIN_RESOURCE = "gpuquota:admin"
"""What it is asked about where projects are changed, or the audit log is read."""

RIGHTS = {
    "read": ("read", RESOURCE),
    "write": ("write", RESOURCE),
    "admin": ("write", ADMIN_RESOURCE),
}
"""The action and the resource of each permission."""


class JupyterApi(Api, APIHandler):
    """Answer whom Jupyter has authenticated."""

    auth_resource = RESOURCE

    async def seen(self, route: Route, answer: Answer) -> Answer:
        """Call no one an admin whom the Authorizer would keep from acting as one."""
        if route.name != "quota.get" or not answer.body:
            return answer
        asked = self.authorizer.is_authorized(self, self.current_user, *RIGHTS["admin"])
        if await ensure_async(asked):
            return answer
        quota = msgspec.json.decode(answer.body, type=Quota)
        body = msgspec.json.encode(msgspec.structs.replace(quota, admin=False))
        return replace(answer, body=body)

    def update_api_activity(self) -> None:
        """Count what a user does; screens that look again by themselves only read."""
        if self.request.method != "GET":
            super().update_api_activity()


class OpenApiHandler(APIHandler):
    """Serve the OpenAPI document."""

    auth_resource = RESOURCE
    _track_activity = False

    @web.authenticated
    @authorized("read", RESOURCE)  # type: ignore[untyped-decorator]
    def get(self) -> None:
        """Write the document, with this server's base URL in it."""
        from ..api.openapi import document  # noqa: PLC0415 (hardly anyone asks for it)

        self.finish(msgspec.json.encode(document(f"{self.base_url}gpuquota/api")))


def guard(permission: str, verb: Verb) -> Verb:
    """Let only those in whom Jupyter knows and whom its Authorizer allows.

    Jupyter's decorator keeps the first action and resource that it sees for ever, so each verb
    gets a decorator of its own, with both named.
    """
    return cast("Verb", web.authenticated(authorized(*RIGHTS[permission])(verb)))


def api_handlers(
    dispatcher: Dispatcher,
) -> list[tuple[str, type[web.RequestHandler], dict[str, Any]]]:
    """Return the handlers of the REST interface, with patterns relative to the base URL."""
    root = r"gpuquota/api"
    made = make_handlers(JupyterApi, PUBLIC, guard)
    return [
        (rf"{root}/openapi\.json", OpenApiHandler, {}),
        *((root + pattern, handler, {"dispatcher": dispatcher}) for pattern, handler in made),
    ]
