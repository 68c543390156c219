"""Scenarios as they are written: read, checked, and compared with what has become of them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from ...errors import FieldError, refused
from ...model.quota import Affinity
from ...model.resources import MILLI, Node, gpus_text
from ...model.scenarios import Scenario
from ...model.spans import parse_span
from ..decoding import decode
from ..fields import FieldReader
from ..requests.shares import parse_quota

_AMOUNTS = ("quota", "weight", "limit", "allocated", "over", "free")
_SPANS = ("interactive_duration", "min_runtime", "grace", "duration", "age", "advance")
_KINDS = "submit, delete, advance, expect, set, remove and lose"


def read(plain: object) -> Scenario:
    """Return the scenario that plain lists, mappings and scalars describe. Raises InvalidFields."""
    reader = FieldReader()
    scenario = decode(plain, Scenario, reader)
    reader.finish()
    assert scenario  # noqa: S101 (else there are errors)
    for i, step in enumerate(scenario.steps):
        problem = f"A step is one of {_KINDS}; this is {len(step.kinds)} of them."
        demand(len(step.kinds) == 1, f"steps[{i}]", problem)
    return scenario


def values(wish: msgspec.Struct, path: str) -> dict[str, Any]:
    """Return the fields that are set, as the model has them. Raises InvalidFields."""
    found = {}
    for each in msgspec.structs.fields(wish):
        value = getattr(wish, each.name)
        if value is not UNSET:
            try:
                found[each.name] = _value(each.name, value)
            except ValueError as error:
                raise refused(FieldError(f"{path}{each.name}", str(error))) from error
    return found


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _AMOUNTS:
        return parse_quota(str(value))
    if name in _SPANS:
        return parse_span(value)
    if name == "node_affinity":
        return Affinity(interactive=value.interactive, train=value.train)
    return value


def demand(condition: object, path: str, problem: str) -> None:
    """Raise InvalidFields for a field unless a condition is true."""
    if not condition:
        raise refused(FieldError(path, problem))


def demand_new(name: str, known: Container[str], path: str, what: str) -> None:
    """Raise InvalidFields for a name that is known already."""
    demand(name not in known, f"{path}name", f"{what} {name!r} is listed twice.")


def demand_gpus(
    nodes: Mapping[str, Node], name: str, indexes: tuple[int, ...], path: str, key: str
) -> None:
    """Raise InvalidFields for a node or GPUs that do not exist."""
    demand(name in nodes, f"{path}node", f"Node {name!r} does not exist.")
    for index in indexes:
        there = index < len(nodes[name].devices)
        demand(there, f"{path}{key}", f"{name} has no GPU {index}.")


def differences(wanted: msgspec.Struct, found: Any, path: str) -> Iterator[tuple[str, str]]:
    """Iterate over what differs from an expectation: where, and how. Raises InvalidFields."""
    for name, value in values(wanted, path).items():
        where, actual = f"{path}{name}", getattr(found, name)
        if isinstance(value, dict):
            for key, each in value.items():
                if key in actual:
                    yield from differences(each, actual[key], f"{where}.{key}.")
                else:
                    yield f"{where}.{key}", f"no such {name.removesuffix('s')}"
        elif name in _AMOUNTS:
            milli = round(actual * MILLI)
            if value != milli:
                yield where, f"expected {gpus_text(value)}, is {gpus_text(milli)}"
        elif value != actual:
            why = f" ({found.message})" if getattr(found, "message", "") else ""
            yield where, f"expected {_text(value)}, is {_text(actual)}{why}"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return str([list(pair) for pair in value])
    return str(value) or "nothing"


def in_gpus(milli: int) -> int | float:
    """Return milli-GPU as GPUs: exact, and as an integer where possible."""
    return milli / MILLI if milli % MILLI else milli // MILLI
