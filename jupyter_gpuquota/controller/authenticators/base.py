"""What an authenticator is, and how those that are installed are found."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Protocol

from traitlets.config import Configurable

from ...core.access import Caller
from ...errors import Unsupported

GROUP = "jupyter_gpuquota.authenticators"
"""Entry points of this group name the class of an authenticator, a traitlets Configurable."""


class Authenticator(Protocol):
    """What knows whose a bearer token is."""

    async def authenticate(self, token: str) -> Caller | None:
        """Return whose token it is, None for one that is not known here.

        Raises Unavailable where it cannot be told. Neither errors nor logs may show the token.
        """


def load(names: Sequence[str], parent: Configurable) -> list[Authenticator]:
    """Return the authenticators of these names, which their settings have been given to.

    Raises Unsupported for a name that is not installed, TraitError for settings that are wrong.
    """
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name in names:
        if name not in found:
            raise Unsupported(
                f"There is no authenticator {name!r}.",
                hint=f"Installed: {', '.join(sorted(found))}.",
            )
    return [found[name].load()(parent=parent) for name in names]
