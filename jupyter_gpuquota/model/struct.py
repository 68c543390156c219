"""Bases of every type on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, get_args

import msgspec

from ..errors import BY_CODE, FieldError, GpuQuotaError, Internal

T = TypeVar("T")
V = TypeVar("V", bound=str)

Number = str | int | float
"""A number as users write it: `0.5`, `8Gi`, `30m`."""


if TYPE_CHECKING:
    Open = Annotated[V, "open"]
else:

    class Open:
        """A vocabulary in an answer: words that this version knows, or any that it does not.

        `Open[State]` is checked as `State` in our own code, and decoded as text: a reader shows
        a word of a newer version as it stands.
        """

        def __class_getitem__(cls, words: Any) -> Any:
            """Return the type of a field whose words are those of a Literal, or others."""
            schema = {"anyOf": [{"enum": list(get_args(words))}, {"type": "string"}]}
            return Annotated[str, msgspec.Meta(extra_json_schema=schema)]


ADDED = msgspec.Meta(extra_json_schema={"x-added": True})
"""Marks a field of answers that older versions do not send: optional in the front end's types."""

Args = Annotated[Mapping[str, str | int], ADDED]
"""The arguments of a message by name; what they are is in `model/messages`."""

UNCHANGED = "1"
"""The revision of settings that were never changed by an administrator."""


class Model(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An answer: readers ignore unknown fields, and show unknown words as text.

    That lets a client talk to a controller of a newer version. A field with a vocabulary is
    `Open[…]`. Python's collector passes over it: being frozen, it cannot come to contain itself.
    """


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request: an unknown field or word is a mistake and is refused."""


class Nothing(Model, frozen=True, kw_only=True):
    """The answer of an action without a result."""


class Page(Model, Generic[T], frozen=True, kw_only=True):
    """One page of a list that may grow.

    `next` is the cursor of the following page, empty on the last one. `total` counts all items that
    match the filter. `revision` changes with every change of the list. With `since`, a revision,
    the items are only those that are new or different since then, and `gone` are the ids of those
    that were in the list before.
    """

    items: tuple[T, ...]
    total: int
    revision: str
    next: str = ""
    since: Annotated[str, ADDED] = ""
    gone: Annotated[tuple[str, ...], ADDED] = ()


class Message(Model, frozen=True, kw_only=True):
    """One sentence in English, with its key in `model/messages` and its arguments."""

    text: str
    key: str = ""
    args: Mapping[str, str | int] = msgspec.field(default_factory=dict)


class FieldProblem(Model, frozen=True, kw_only=True):
    """What is wrong with one field of a request, with the key of the text if it has one."""

    field: str
    message: str
    hint: str = ""
    key: Annotated[str, ADDED] = ""
    args: Args = msgspec.field(default_factory=dict)


def decoded(body: bytes, kind: type[T]) -> T:
    """Return a record that was stored as JSON. Raises msgspec.DecodeError, whatever is wrong.

    msgspec raises other errors for text that is not UTF-8, and for what is nested very deep.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def field_problem(error: FieldError) -> FieldProblem:
    """Return a field error as it is sent."""
    return FieldProblem(
        field=error.field, message=error.message, hint=error.hint, key=error.key, args=error.args
    )


class Problem(Model, frozen=True, kw_only=True):
    """The body of every error answer: what happened, which rule, what to do next."""

    code: str
    message: str
    hint: str = ""
    fields: tuple[FieldProblem, ...] = ()


def problem_of(error: GpuQuotaError) -> Problem:
    """Return an error as it is sent."""
    return Problem(
        code=error.code,
        message=error.message,
        hint=error.hint,
        fields=tuple(map(field_problem, error.fields)),
    )


def error_of(problem: Problem) -> GpuQuotaError:
    """Return the error of a `Problem`; an unknown code is Internal."""
    fields = (FieldError(f.field, f.message, f.hint, f.key, f.args) for f in problem.fields)
    kind = BY_CODE.get(problem.code, Internal)
    return kind(problem.message, hint=problem.hint, fields=tuple(fields))
