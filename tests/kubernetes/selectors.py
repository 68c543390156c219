"""Label selectors, as the fake API server understands them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SET = re.compile(r"^(?P<key>\S+)\s+(?P<operator>in|notin)\s+\((?P<values>[^)]*)\)$")
_EQUAL = re.compile(r"^(?P<key>[^\s=!]+)\s*(?P<operator>==?|!=)\s*(?P<value>\S*)$")
_BETWEEN = re.compile(r",(?![^(]*\))")


def matches(selector: str, labels: Mapping[str, str]) -> bool:
    """Return whether labels match a selector such as `a=b,c!=d,e in (f,g),!h`."""
    return all(_matches(term.strip(), labels) for term in _BETWEEN.split(selector) if term.strip())


def _matches(term: str, labels: Mapping[str, str]) -> bool:
    if found := _SET.match(term):
        values = [value.strip() for value in found["values"].split(",")]
        return (labels.get(found["key"]) in values) == (found["operator"] == "in")
    if found := _EQUAL.match(term):
        return (labels.get(found["key"]) == found["value"]) == (found["operator"] != "!=")
    if term.startswith("!"):
        return term[1:].strip() not in labels
    return term in labels
