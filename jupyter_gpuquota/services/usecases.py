"""Map every route to its use case, by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

from ..model.routes import ROUTES, Route
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


def _use_case(route: Route) -> UseCase:
    noun, verb = route.name.split(".")
    module = _NOUNS[noun]
    # `list` and `exec` would hide builtins in their modules.
    found: UseCase = getattr(module, verb, None) or getattr(module, f"{verb}_")
    return found


USE_CASES: dict[str, UseCase] = {route.name: _use_case(route) for route in ROUTES}
