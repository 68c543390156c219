"""Calls about a version, which users name as `NAME@REF`."""

from __future__ import annotations

from typing import Any

from ...errors import FieldError, refused
from ...model.datasets.names import DataName, parse_name
from ...model.datasets.versions import LATEST
from ..namespace import Namespace


class OfVersions(Namespace):
    """What calls routes on versions."""

    def _call_version(
        self, route: str, name: str, more: dict[str, str] | None = None, **details: Any
    ) -> Any:
        return self._context.call(route, {**version_args(name), **(more or {})}, **details)


def version_args(name: str) -> dict[str, str]:
    """Return the arguments of a route for `NAME@REF`. Raises InvalidFields where a path follows."""
    named = parse_name(name)
    if named.path:
        hint = f"For example {DataName(named.dataset, named.ref or LATEST).text}."
        raise refused(FieldError("path", "Name the version without a path.", hint))
    return args_of(named)


def args_of(named: DataName) -> dict[str, str]:
    """Return the arguments of a route on a version."""
    return {"dataset": named.dataset, "version": named.ref or LATEST}
