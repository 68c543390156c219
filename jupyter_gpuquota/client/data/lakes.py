"""Lakes."""

from __future__ import annotations

from ...model.datasets.lakes import Lake, LakeList
from ..listing import Listing, Table
from ..namespace import Namespace

LAKES = Table[Lake](
    columns={
        "name": lambda each: each.name,
        "url": lambda each: each.url,
        "default": lambda each: each.default,
        "projects": lambda each: list(each.projects),
        "credentials": lambda each: each.credentials,
        "problem": lambda each: each.problem,
    },
    shown=("name", "url", "default", "problem"),
    empty="No lakes.",
)


class Lakes(Namespace):
    """The lakes of the admins."""

    def lakes(self) -> Listing[Lake, LakeList]:
        """List the lakes that the caller may use."""
        answer: LakeList = self._context.call("lakes.list")
        return Listing(answer, answer.items, LAKES)
