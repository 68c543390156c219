"""Bases of every type on the wire."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")

Number = str | int | float
"""A number in the words of whoever asks: `0.5`, `8Gi`, `30m`."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Be something that we say: a reader ignores fields it does not know yet.

    Tolerance lets a client talk to a controller of a newer version.
    """


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Be something that we are asked: an unknown field is a mistake and is refused."""


class Nothing(Model, frozen=True, kw_only=True):
    """Say nothing: the answer of an action that has only an outcome."""


class Page(Model, Generic[T], frozen=True, kw_only=True):
    """Hold one page of a list that may grow.

    `next` is the cursor of the following page, empty on the last one. `total` counts all
    items that match the filter. `revision` grows with every change of the list.
    """

    items: tuple[T, ...]
    total: int
    revision: int
    next: str = ""


class FieldProblem(Model, frozen=True, kw_only=True):
    """Say what is wrong with one field of a request."""

    field: str
    message: str
    hint: str = ""


class Problem(Model, frozen=True, kw_only=True):
    """Be the body of every error answer: what happened, which rule, what to do next."""

    code: str
    message: str
    hint: str = ""
    fields: tuple[FieldProblem, ...] = ()
