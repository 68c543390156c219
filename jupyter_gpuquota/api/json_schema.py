"""The types on the wire as JSON Schema: for the front end and for the documentation."""

from __future__ import annotations

import functools
import inspect
import json
import re
import sys
from typing import Any, Literal, get_args, get_origin

import msgspec

from ..model.about import Change
from ..model.routes.table import ROUTES, Route
from ..model.struct import Model, Problem

PUBLIC = tuple(row for row in ROUTES if not row.internal)
"""The routes that JupyterLab serves."""


def types_of(routes: tuple[Route, ...]) -> list[Any]:
    """Return every type of requests, responses, errors and events, once each."""
    wanted = [t for row in routes for t in (row.response, row.request, row.query) if t is not None]
    return list(dict.fromkeys([*wanted, Problem, Change]))


def components(routes: tuple[Route, ...], prefix: str) -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every type, by name; `prefix` begins their references.

    An answer has all its fields, whatever defaults the model gives them, but for those that
    older versions lack; a request may leave out those with a default. A vocabulary is a type of
    its own.
    """
    _, found = msgspec.json.schema_components(types_of(routes), ref_template=prefix + "{name}")
    text = json.dumps({wire_name(name): schema for name, schema in found.items()})
    for name in found:
        text = text.replace(f'"{prefix}{name}"', f'"{prefix}{wire_name(name)}"')
    schemas: dict[str, dict[str, Any]] = json.loads(text)
    for schema in schemas.values():
        schema["description"] = inspect.cleandoc(schema.get("description", ""))
        if schema.get("additionalProperties") is not False and "properties" in schema:
            fields = schema["properties"].items()
            schema["required"] = [name for name, each in fields if not each.pop("x-added", False)]
            for _, field in fields:
                field.pop("default", None)
    return _named(schemas, prefix)


def words_of(schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the known words of an open vocabulary; none for any other schema."""
    match schema:
        case {"type": "string", "anyOf": [{"enum": [*words]}, {"type": "string"}]}:
            return tuple(words)
    return ()


@functools.cache
def name_of(wire_type: Any) -> str:
    """Return the name of a type on the wire: `Page[Session]` is `PageSession`."""
    (reference,), _ = msgspec.json.schema_components([wire_type], ref_template="{name}")
    return wire_name(reference["$ref"])


def wire_name(name: str) -> str:
    """Return an identifier in every language: `Page_Session_` is `PageSession`."""
    return re.sub(r"\W|_", "", name)


def _named(schemas: dict[str, dict[str, Any]], prefix: str) -> dict[str, dict[str, Any]]:
    """Return the schemas with each open vocabulary as one of them, under its name in the model."""
    names = _vocabularies()
    found: dict[str, dict[str, Any]] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(each) for each in value]
        if not isinstance(value, dict):
            return value
        if words := words_of(value):
            name = names[words]
            found[name] = {**value, "description": "A newer version may have other words."}
            return {"$ref": prefix + name}
        return {key: walk(each) for key, each in value.items()}

    return {**walk(schemas), **dict(sorted(found.items()))}


def _vocabularies() -> dict[tuple[str, ...], str]:
    """Return the name of each vocabulary of the model, by its words: the last one of equals."""
    modules = sorted({each.__module__ for each in Model.__subclasses__()})
    return {
        get_args(value): name
        for module in modules
        for name, value in vars(sys.modules[module]).items()
        if get_origin(value) is Literal
    }
