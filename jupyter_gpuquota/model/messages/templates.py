"""English text with named, typed placeholders, such as `{used:amount} of {quota:gpus}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import Formatter

from .formats import Arg, formatted

Part = tuple[str, str, str]
"""Literal text, then the name and type of the placeholder after it (empty at the end)."""


@dataclass(frozen=True)
class Plural:
    """A template with one wording where the argument `count` is 1, and another for the rest."""

    count: str
    one: str
    many: str


Template = str | Plural


@dataclass(frozen=True)
class Text:
    """An entry of the catalog: what is said, and what helps."""

    message: Template
    hint: Template = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all arguments, required and allowed."""
        return frozenset().union(*(kinds(each) for each in (self.message, self.hint)))


def render(template: Template, args: Mapping[str, Arg]) -> str:
    """Return a template with its placeholders filled in."""
    if isinstance(template, Plural):
        template = template.one if args[template.count] == 1 else template.many
    return "".join(
        literal + (formatted(kind, args[name]) if name else "")
        for literal, name, kind in parts(template)
    )


def kinds(template: Template) -> dict[str, str]:
    """Return the type of each argument of a template."""
    if isinstance(template, Plural):
        return {template.count: "count"} | kinds(template.one) | kinds(template.many)
    return {name: kind for _, name, kind in parts(template) if name}


@lru_cache(maxsize=1024)
def parts(template: str) -> tuple[Part, ...]:
    """Return a template in parts."""
    return tuple(
        (literal, name or "", (kind or "text") if name else "")
        for literal, name, kind, _ in Formatter().parse(template)
    )
