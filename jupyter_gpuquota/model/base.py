"""Bases of every type on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, get_args

import msgspec

T = TypeVar("T")
V = TypeVar("V", bound=str)

Number = str | int | float
"""A number in the words of whoever asks: `0.5`, `8Gi`, `30m`."""


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


UNCHANGED = "1"
"""The revision of what is set and was never changed by an admin."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """An answer: a reader ignores fields that it does not know, and shows unknown words as text.

    That lets a client talk to a controller of a newer version. A field with a vocabulary is
    `Open[…]`.
    """


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request: an unknown field or word is a mistake and is refused."""


class Nothing(Model, frozen=True, kw_only=True):
    """Say nothing: the answer of an action that has only an outcome."""


class Page(Model, Generic[T], frozen=True, kw_only=True):
    """Hold one page of a list that may grow.

    `next` is the cursor of the following page, empty on the last one. `total` counts all
    items that match the filter. `revision` is another one after every change of the list.
    """

    items: tuple[T, ...]
    total: int
    revision: str
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
