"""The use case of every route, and the one way to call it: with what the route needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from ..core import disclosure
from ..core.access import SEEING, Rights
from ..core.names import find_session, not_found
from ..model.routes.table import ROUTES, Route
from ..model.sessions import Session
from ..ports.backend import Backend
from .call import Call

UseCase = Callable[[Backend, Call], Awaitable[Any]]


async def perform(
    backend: Backend,
    route: Route,
    rights: Rights,
    args: Mapping[str, str],
    query: Any = None,
    body: Any = None,
    since: str = "",
) -> Any:
    """Call the use case of a route for a caller who has what the route needs.

    Where the path names a session, it is an id, a name or `project~name`. Raises NotFound for one
    that the caller does not see, Ambiguous, NotAllowed, Unavailable where rights are not known now,
    and what the use case raises.
    """
    session = _target(backend, route, rights, args)
    unsure = (rights.of(session.spec.project) if session else rights).unsure
    if unsure and (route.method != "GET" or route.need not in SEEING):
        raise unsure
    if session:
        rights.check(route.need, session, route.verb)
    elif route.need == "admin":
        rights.check_admin()
        backend = backend.at("")  # admins set what the first cluster has
    elif route.need == "person":
        rights.check_person()
    return await USE_CASES[route.name](
        backend, Call(rights, dict(args), query, body, session, since)
    )


def _target(
    backend: Backend, route: Route, rights: Rights, args: Mapping[str, str]
) -> Session | None:
    """Return the session that the path names, None if it names none. Raises NotFound, Ambiguous."""
    if "{id}" not in route.path:
        return None
    name, sessions = args["id"], backend.sessions.all()
    session = next((session for session in sessions if session.id == name), None)
    if session and rights.may("see", session):
        return session
    if route.by_id:
        raise not_found(name)
    return find_session(name, disclosure.seen(sessions, rights), rights.caller.name)


def use_case(route: Route) -> UseCase:
    """Return the use case of a route: of `sessions.create` it is `create` in `sessions.py`.

    `list`, `exec` and `try` have an underscore behind them there. Raises LookupError with the
    route's name if its use case is missing.
    """
    noun, verb = route.name.split(".")
    name = f"{__package__}.{noun}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise LookupError(f"The route {route.name} has no module {name}.") from error
    found: UseCase | None = getattr(module, verb, None) or getattr(module, f"{verb}_", None)
    if found is None:
        raise LookupError(f"The route {route.name} has no function {verb} in {name}.")
    return found


USE_CASES: dict[str, UseCase] = {route.name: use_case(route) for route in ROUTES}
