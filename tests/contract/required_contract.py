"""What a backend is: a record whose parts have every method of their ports."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, ClassVar, get_type_hints

from jupyter_gpuquota.ports import backend as ports
from jupyter_gpuquota.ports.backend import CAPABILITIES, Backend

_OPTIONAL = type(None)


def missing(backend: Any) -> list[str]:
    """Return the required or declared parts and methods that a backend lacks."""
    return [
        name if ability is None else f"{name}.{method}"
        for name, port in _ports()
        for ability in [getattr(backend, name, None)]
        if not (ability is None and name in CAPABILITIES)
        for method in _methods(port)
        if ability is None or not hasattr(ability, method)
    ]


def _ports() -> Iterator[tuple[str, type]]:
    for name, hint in get_type_hints(Backend, vars(ports)).items():
        found = [port for port in getattr(hint, "__args__", (hint,)) if port is not _OPTIONAL]
        if getattr(found[0], "_is_protocol", False):
            yield name, found[0]


def _methods(port: type) -> list[str]:
    return [name for name, _ in inspect.getmembers(port) if not name.startswith("_")]


class RequiredContract:
    """The contract of a declaration; `declares` names the backend's optional capabilities."""

    declares: ClassVar[frozenset[str]]

    async def test_everything_that_is_required_or_declared_is_there(self, backend: Any) -> None:
        assert missing(backend) == []
        assert isinstance(backend, Backend)
        assert set(backend.capabilities) == self.declares
        assert backend.name
