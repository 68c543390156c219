"""The REST interface in a Jupyter Server, which authenticates and authorises."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import msgspec
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import ensure_async
from tornado import web

from ..api.dispatch import ApiResponse, Dispatcher
from ..api.handlers import Api, Verb, make_handlers
from ..api.json_schema import PUBLIC
from ..model.quota import Quota
from ..model.routes.table import Route

RESOURCE = "gpuquota"
"""The resource that an Authorizer checks."""

ADMIN_RESOURCE = "gpuquota:admin"
"""The resource for changes of projects and for the audit log."""

RIGHTS = {
    "read": ("read", RESOURCE),
    "write": ("write", RESOURCE),
    "execute": ("execute", RESOURCE),
    "admin": ("write", ADMIN_RESOURCE),
}
"""The action and resource of each permission."""


class JupyterApi(Api, APIHandler):
    """An API handler for users whom Jupyter has authenticated."""

    auth_resource = RESOURCE

    async def seen(self, route: Route, answer: ApiResponse) -> ApiResponse:
        """Hide the admin flag from users whom the Authorizer would reject."""
        if route.name != "quota.get" or not answer.body:
            return answer
        allowed = self.authorizer.is_authorized(self, self.current_user, *RIGHTS["admin"])
        if await ensure_async(allowed):
            return answer
        quota = msgspec.json.decode(answer.body, type=Quota)
        body = msgspec.json.encode(msgspec.structs.replace(quota, admin=False))
        return replace(answer, body=body)

    def update_api_activity(self) -> None:
        """Count changes as activity; reads may be polls of a screen."""
        if self.request.method != "GET":
            super().update_api_activity()


class OpenApiHandler(APIHandler):
    """The handler of the OpenAPI document."""

    auth_resource = RESOURCE
    _track_activity = False

    @web.authenticated
    @authorized("read", RESOURCE)  # type: ignore[untyped-decorator]
    def get(self) -> None:
        """Write the document, with this server's base URL in it."""
        from ..api.openapi import document  # noqa: PLC0415 (rarely needed)

        self.finish(msgspec.json.encode(document(f"{self.base_url}gpuquota/api")))


def guard(permission: str, verb: Verb) -> Verb:
    """Return the verb with authentication and authorization required.

    Jupyter's decorator remembers the first action and resource it sees, so each verb gets its own
    decorator with both named.
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
