"""Every route's use case, and the one way to it: whoever calls one has what the route needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import ModuleType
from typing import Any

from ..core.access import Rights, not_found
from ..model.routes import ROUTES, Route
from ..model.sessions import Session
from ..ports.backend import Backend
from . import (
    about,
    audit,
    changes,
    environments,
    groups,
    history,
    nodes,
    policy,
    projects,
    quota,
    rules,
    sessions,
    settings,
)
from .call import Call

UseCase = Callable[[Backend, Call], Awaitable[Any]]

_NOUNS: dict[str, ModuleType] = {
    "about": about,
    "audit": audit,
    "changes": changes,
    "environments": environments,
    "groups": groups,
    "history": history,
    "nodes": nodes,
    "policy": policy,
    "projects": projects,
    "quota": quota,
    "rules": rules,
    "sessions": sessions,
    "settings": settings,
}


async def perform(
    backend: Backend,
    route: Route,
    rights: Rights,
    args: Mapping[str, str],
    query: Any = None,
    body: Any = None,
) -> Any:
    """Call the use case of a route for a caller who has what the route needs.

    Raises NotFound for a session that the caller does not see, NotAllowed, and what the use case
    raises.
    """
    session = _target(backend, route, args)
    if session:
        rights.check(route.need, session, route.verb)
    elif route.need == "admin":
        rights.check_admin()
    elif route.need == "person":
        rights.check_person()
    return await USE_CASES[route.name](backend, Call(rights, dict(args), query, body, session))


def _target(backend: Backend, route: Route, args: Mapping[str, str]) -> Session | None:
    """Return the session that a path names, None for a path that names none. Raises NotFound."""
    if "{id}" not in route.path:
        return None
    found = (session for session in backend.sessions.all() if session.id == args["id"])
    if session := next(found, None):
        return session
    raise not_found(args["id"])


def _use_case(route: Route) -> UseCase:
    noun, verb = route.name.split(".")
    module = _NOUNS[noun]
    # `list` and `exec` would hide builtins in their modules.
    found: UseCase | None = getattr(module, verb, None) or getattr(module, f"{verb}_", None)
    if found is None:
        raise AttributeError(f"The route {route.name} has no use case in {module.__name__}.")
    return found


USE_CASES: dict[str, UseCase] = {route.name: _use_case(route) for route in ROUTES}
