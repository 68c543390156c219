"""Licences."""

from __future__ import annotations

from ..model.licences import Licence
from ..model.licences import Licences as Answer
from .listing import Listing, Table
from .namespace import Namespace

LICENCES = Table[Licence](
    columns={
        "name": lambda licence: licence.name,
        "total": lambda licence: licence.total,
        "free": lambda licence: licence.free,
    },
    shown=("name", "total", "free"),
    empty="No licences.",
)


class Licences(Namespace):
    """Floating licences of software."""

    def list(self) -> Listing[Licence, Answer]:
        """List the licences. Raises Unsupported."""
        found: Answer = self._context.call("licences.list")
        return Listing(found, found.licences, LICENCES)
