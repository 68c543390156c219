"""The REST interface as an OpenAPI 3.1 document, made from the route table."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from .. import __version__
from ..model.routes.table import Route
from .handlers import JSON, NDJSON
from .json_schema import PUBLIC, components, name_of
from .statuses import STATUSES

_PREFIX = "#/components/schemas/"


def document(server: str) -> dict[str, Any]:
    """Return the document; `server` is the URL or path that its paths are relative to."""
    schemas = components(PUBLIC, _PREFIX)
    paths: dict[str, dict[str, Any]] = {}
    for row in PUBLIC:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "GPU sessions",
            "version": __version__,
            "description": "Every error response is a `Problem`. A response with an ETag is"
            " 304 Not Modified until its noun changes.",
        },
        "servers": [{"url": server}],
        "security": [{"token": []}, {"cookie": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {
                "Problem": {"description": "The request failed.", "content": _json("Problem")}
            },
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`token ` and the Jupyter Server's token.",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-XSRFToken",
                    "description": "For a logged-in browser: the value of its cookie `_xsrf`.",
                },
            },
        },
    }


def _operation(row: Route, schemas: dict[str, dict[str, Any]]) -> dict[str, Any]:
    answers: dict[str, Any] = {
        str(row.status): {
            "description": HTTPStatus(row.status).phrase,
            "content": _json(name_of(row.response), NDJSON if row.streams else JSON),
        }
    }
    if row.noun:
        answers["304"] = {"description": HTTPStatus.NOT_MODIFIED.phrase}
    problem = {"$ref": "#/components/responses/Problem"}
    answers |= {str(status): problem for status in sorted(STATUSES.values())}
    operation: dict[str, Any] = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [row.name.split(".")[0]],
        "parameters": _parameters(row, schemas),
        "responses": answers,
    }
    if row.request:
        name = name_of(row.request)
        needed = bool(schemas[name].get("required"))
        operation["requestBody"] = {"required": needed, "content": _json(name)}
    return operation


def _parameters(row: Route, schemas: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    found = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", row.path)
    ]
    if row.query:
        schema = schemas[name_of(row.query)]
        needed = schema.get("required", [])
        found += [
            {"name": name, "in": "query", "required": name in needed, "schema": field}
            for name, field in schema["properties"].items()
        ]
    return found


def _json(name: str, kind: str = JSON) -> dict[str, Any]:
    return {kind: {"schema": {"$ref": _PREFIX + name}}}
