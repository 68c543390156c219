"""Stored records: readable, damaged, or of a newer version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from ...model.struct import decoded

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record(Generic[T]):
    """What was read: a `value`, or the `problem` with it; neither if no record exists.

    A JSON object of another shape is not damaged: a `newer` version has written it.
    """

    value: T | None = None
    problem: str = ""
    newer: bool = False

    @property
    def damaged(self) -> bool:
        """Whether the record exists, and no version can read it."""
        return bool(self.problem) and not self.newer


def read_record(data: bytes, decode: Callable[[bytes], T]) -> Record[T]:
    """Read a record with a function that raises msgspec.DecodeError."""
    try:
        return Record(decode(data))
    except msgspec.ValidationError as error:
        return Record(problem=str(error).rstrip("."), newer=_is_object(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Record(problem=str(error).rstrip("."))


def _is_object(data: bytes) -> bool:
    """Return whether data is a JSON object; a type is refused before the rest is read."""
    try:
        return isinstance(decoded(data, object), dict)
    except msgspec.DecodeError:
        return False
