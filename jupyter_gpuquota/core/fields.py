"""Reading the fields of a form, and collecting everything that is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from ..errors import FieldError, InvalidFields, refuse
from ..model.messages.build import field_error, message
from ..model.messages.formats import Arg
from ..model.spans import LONGEST, parse_span

T = TypeVar("T")

NAME_LIMIT = 63
"""Longest name: that of a Kubernetes object, so that a request can move between backends."""
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)


Zero = Literal["never", "none", "default"]
"""What the duration 0, or an empty one, stands for: it is named where one cannot be read."""


class BadValue(ValueError):
    """A value that cannot be read: `key` and `args` are those of the message."""

    def __init__(self, key: str, /, **args: Arg) -> None:
        super().__init__(message(key, **args).text)
        self.key = key
        self.args_by_name = args


class FieldReader:
    """A reader of fields one by one that collects their errors instead of raising the first.

    The names of its fields begin with `prefix`; readers made by `under` share its `errors`.
    """

    def __init__(self, prefix: str = "", errors: list[FieldError] | None = None) -> None:
        self.errors: list[FieldError] = [] if errors is None else errors
        self._prefix = prefix

    def under(self, prefix: str) -> FieldReader:
        """Return a reader of what is inside a field, such as `rules.`; it shares the errors."""
        return FieldReader(self._prefix + prefix, self.errors)

    def wrong(self, field: str, key: str, /, **args: Arg) -> None:
        """Note an error of a field, with a message of the catalog."""
        self.add([field_error(field, key, **args)])

    def untranslated(self, field: str, text: str, hint: str = "") -> None:
        """Note an error that no form shows, or whose text comes from elsewhere."""
        self.add([FieldError(field, text, hint)])

    def add(self, errors: Iterable[FieldError]) -> None:
        """Note errors that were found elsewhere."""
        self.errors += [replace(error, field=self._prefix + error.field) for error in errors]

    def take(self, check: Callable[[], T]) -> T | None:
        """Return what a check returns; None if it raises InvalidFields, whose errors are noted."""
        try:
            return check()
        except InvalidFields as error:
            self.add(error.fields)
            return None

    def read(self, field: str, value: object, parse: Callable[[str], int]) -> int:
        """Return what a text stands for; 0 where `parse` raises BadValue, which is noted."""
        try:
            return parse(str(value).strip())
        except BadValue as error:
            self.wrong(field, error.key, **error.args_by_name)
            return 0

    def duration(self, field: str, value: object, zero: Zero) -> int:
        """Read a duration of at most a year, in seconds."""

        def parse(text: str) -> int:
            try:
                seconds = parse_span(text)
            except ValueError as error:
                raise BadValue(f"duration.{zero}") from error
            if seconds > LONGEST:
                raise BadValue("duration.long")
            return seconds

        return self.read(field, value, parse)

    def within(self, field: str, value: int, least: int, most: int) -> None:
        """Check that a number lies between two bounds."""
        if not least <= value <= most:
            self.wrong(field, "field.range", value=value, least=least, most=most)

    def choice(self, field: str, value: str, choices: Sequence[str]) -> str:
        """Read one of a few words."""
        if value not in choices:
            self.wrong(field, "field.choice", value=repr(value), choices=",".join(choices))
        return value

    def known(self, field: str, name: str, names: Sequence[str], key: str) -> bool:
        """Return whether a name is one of those that exist; note it if it is not.

        The message `key` lists the names, `key.none` is for none.
        """
        if name in names:
            return True
        if names:
            self.wrong(field, key, name=repr(name), known=",".join(names))
        else:
            self.wrong(field, f"{key}.none", name=repr(name))
        return False

    def name(self, field: str, name: str, example: str, most: int = NAME_LIMIT) -> None:
        """Check a name of at most `most` characters for something new, such as a session."""
        if not name:
            self.wrong(field, "name.missing", example=example)
        elif len(name) > most:
            self.wrong(field, "name.long", most=most, count=len(name))
        elif not _NAME.fullmatch(name):
            close = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:most]
            self.wrong(field, "name.characters", example=close.strip("-") or example)

    def finish(self) -> None:
        """Raise InvalidFields if there are errors."""
        refuse(self.errors)
