"""Which namespaces are read where reading all of them at once is forbidden."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import TypeVar

from .api import Api, Fault
from .objects.meta import Object
from .resources import NAMESPACES, Resource

T = TypeVar("T", bound=Object)

DEFAULT = "default"
"""The namespace of credentials that name none, as for kubectl."""

CLOSED = (403, 404)
"""Answers that mean: not there, or not for us."""


def visible(api: Api, listed: Iterable[str]) -> list[str]:
    """Return the namespace that the credentials name, then those that could be listed."""
    return list(dict.fromkeys((api.namespace or DEFAULT, *listed)))


async def everywhere(
    api: Api, resource: Resource[T], namespaces: Sequence[str] = ()
) -> AsyncGenerator[list[T]]:
    """Yield the objects of a kind, as far as they may be read, in these namespaces.

    Without `namespaces` those of all come at once, or one namespace after another where that is
    forbidden. Raises Fault where the server does not respond.
    """
    for namespace in namespaces or ("",):
        found = await _read(api, resource, namespace)
        if found is not None:
            yield found
        elif not namespace:
            names = (each.metadata.name for each in await _read(api, NAMESPACES, "") or ())
            async for more in everywhere(api, resource, visible(api, names)):
                yield more


async def _read(api: Api, resource: Resource[T], namespace: str) -> list[T] | None:
    """Return the objects of a namespace, or of all; None where that is not allowed."""
    try:
        return await api.list(resource, namespace)
    except Fault as fault:
        if fault.status not in CLOSED:
            raise
        return None
