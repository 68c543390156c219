"""The base of what groups the verbs of a noun: `client.sessions`, `client.quota`."""

from __future__ import annotations

from .connection.context import Context


class Namespace:
    """The verbs of a noun."""

    def __init__(self, context: Context) -> None:
        self._context = context
