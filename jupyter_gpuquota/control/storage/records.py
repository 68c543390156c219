"""Stored records: readable, damaged, or of a newer version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

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
        newer = isinstance(msgspec.json.decode(data), dict)
        return Record(problem=str(error).rstrip("."), newer=newer)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Record(problem=str(error).rstrip("."))
