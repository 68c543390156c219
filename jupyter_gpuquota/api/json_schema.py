"""Describe the types on the wire as JSON Schema: for the front end's types and for readers."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import msgspec

from ..model.about import Change
from ..model.base import Problem
from ..model.routes import ROUTES, Route

PUBLIC = tuple(row for row in ROUTES if not row.internal)
"""The routes that JupyterLab serves."""


def types_of(routes: tuple[Route, ...]) -> list[Any]:
    """List every type that the routes take or give, once each, with those of errors and events."""
    wanted = [t for row in routes for t in (row.response, row.request, row.query) if t is not None]
    return list(dict.fromkeys([*wanted, Problem, Change]))


def components(routes: tuple[Route, ...], prefix: str) -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every type, by name; `prefix` begins their references.

    What we say always has all its fields, whatever defaults the model gives them; what we are
    asked may leave out those that have one.
    """
    _, found = msgspec.json.schema_components(types_of(routes), ref_template=prefix + "{name}")
    text = json.dumps({wire_name(name): schema for name, schema in found.items()})
    for name in found:
        text = text.replace(f'"{prefix}{name}"', f'"{prefix}{wire_name(name)}"')
    schemas: dict[str, dict[str, Any]] = json.loads(text)
    for schema in schemas.values():
        schema["description"] = inspect.cleandoc(schema.get("description", ""))
        if schema.get("additionalProperties") is not False and "properties" in schema:
            schema["required"] = list(schema["properties"])
            for field in schema["properties"].values():
                field.pop("default", None)
    return schemas


def name_of(wire_type: Any) -> str:
    """Tell a type's name on the wire: `Page[Session]` is `PageSession`."""
    (reference,), _ = msgspec.json.schema_components([wire_type], ref_template="{name}")
    return wire_name(reference["$ref"])


def wire_name(name: str) -> str:
    """Return an identifier in every language: `Page_Session_` is `PageSession`."""
    return re.sub(r"\W|_", "", name)
