"""The REST interface as data: one row a route, one module of this package a noun.

Handlers, the OpenAPI document, the front end's typed calls, the Python client, use cases and the
table of permissions are all made from these rows. Paths are relative to
`<base_url>gpuquota/api`. A module is found by its `ROUTES`: none is listed anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from . import __path__ as folders
from .route import Permission, Route

__all__ = ["NOUNS", "ROUTES", "Permission", "Route", "route"]

_OTHERS = frozenset({"route", "table"})


def _routes() -> Iterator[Route]:
    for name in sorted(module.name for module in iter_modules(folders)):
        if name not in _OTHERS:
            yield from import_module(f"{__package__}.{name}").ROUTES


ROUTES: tuple[Route, ...] = tuple(_routes())

NOUNS: tuple[str, ...] = tuple(dict.fromkeys(row.noun for row in ROUTES if row.noun))
"""What has a revision: the nouns that answers are views of."""

_BY_NAME = {row.name: row for row in ROUTES}


def route(name: str) -> Route:
    """Return the route with a name. Raises KeyError."""
    return _BY_NAME[name]
