"""Floating licences of software that sessions need."""

from __future__ import annotations

from .struct import Model


class Licence(Model, frozen=True, kw_only=True):
    """One kind of licence; `total` and `free` count seats."""

    name: str
    total: int
    free: int


class Licences(Model, frozen=True, kw_only=True):
    """All licences, by name."""

    licences: tuple[Licence, ...]
    revision: str = ""
