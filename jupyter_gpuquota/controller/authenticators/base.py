"""The interface of authenticators, and how installed ones are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

from traitlets.config import Configurable

from ...core.access import Caller
from ...errors import Unsupported

GROUP = "jupyter_gpuquota.authenticators"
"""Entry point group; each entry is the class of an authenticator, a traitlets Configurable."""


class Authenticator(Protocol):
    """Identifies the owners of bearer tokens."""

    async def authenticate(self, token: str) -> Caller | None:
        """Return the owner of a token, None for an unknown one.

        Raises Unavailable if it cannot be checked. Neither errors nor logs may show the token.
        """


@runtime_checkable
class Closing(Protocol):
    """An authenticator that keeps a connection."""

    async def close(self) -> None:
        """Close it."""


async def close(authenticators: Iterable[Authenticator]) -> None:
    """Close the connections of authenticators."""
    for each in authenticators:
        if isinstance(each, Closing):
            await each.close()


def load(names: Sequence[str], parent: Configurable) -> list[Authenticator]:
    """Return the authenticators with these names, configured.

    Raises Unsupported for a name that is not installed, TraitError for invalid settings.
    """
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name in names:
        if name not in found:
            raise Unsupported(
                f"Authenticator {name!r} is not installed.",
                hint=f"Installed: {', '.join(sorted(found))}.",
            )
    return [found[name].load()(parent=parent) for name in names]
