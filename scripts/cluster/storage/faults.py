"""Faults that a test asks the driver for, by annotations of a claim.

`snapshot` is about snapshots of the claim, `restore` about claims that are made from these, and
`provision` about the claim itself. Values: `fail`, `never`, or a number of seconds to take.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..labels import DOMAIN

FAIL, NEVER = "fail", "never"

FAILURE = "the test driver was told to fail"
"""The sentence of a failure."""


def annotation(operation: str) -> str:
    """Return the annotation for `snapshot`, `restore` or `provision`."""
    return f"{DOMAIN}/{operation}"


class Fault(Exception):
    """The driver was told to fail."""


def may_proceed(operation: str, claim: Mapping[str, Any] | None, since: str) -> bool:
    """Return whether an operation that was asked for at a time may be done now. Raises Fault."""
    annotations = claim["metadata"].get("annotations", {}) if claim else {}
    wanted = annotations.get(annotation(operation), "0")
    if wanted == FAIL:
        raise Fault(FAILURE)
    if wanted == NEVER:
        return False
    age = datetime.now(UTC) - datetime.fromisoformat(since)
    return age.total_seconds() >= float(wanted)
