"""Lakes, and the rules for cached versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ...errors import NotFound
from ...model.datasets.datasets import Lake, LakeList
from ...model.datasets.settings import (
    DataChangePreview,
    DataSettings,
    DataSettingsRequest,
    LakeRequest,
    request_of,
)
from ...model.struct import Number
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
    """The lakes of the admins; admins set them, and the rules for cached versions.

    With `dry_run` nothing changes, and what would happen is returned.
    """

    def lakes(self) -> Listing[Lake, LakeList]:
        """List the lakes that the caller may use."""
        answer: LakeList = self._context.call("lakes.list")
        return Listing(answer, answer.items, LAKES)

    def settings(self) -> DataSettings:
        """Return the lakes and the rules for cached versions. Raises NotAllowed."""
        answer: DataSettings = self._context.call("lakes.settings")
        return answer

    def put_lake(
        self,
        name: str,
        url: str,
        *,
        credentials: str = "",
        projects: Sequence[str] = (),
        default: bool = False,
        dry_run: bool = False,
    ) -> DataSettings | DataChangePreview:
        """Add a lake, or change the one with that name.

        `credentials` is a file of KEY=VALUE lines, on a cluster the name of a Secret; without it
        those of the controller's environment are used. `projects` may create datasets in it, all if
        it is empty. Raises InvalidFields, NotAllowed, Outdated.
        """
        old = request_of(self.settings())
        lake = LakeRequest(
            name=name,
            url=url,
            credentials=credentials,
            projects=tuple(projects),
            default=default,
        )
        kept = (replace(each, default=False) if default else each for each in old.lakes)
        others = tuple(each for each in kept if each.name != name)
        return self._put(replace(old, lakes=(*others, lake)), dry_run=dry_run)

    def remove_lake(self, name: str, *, dry_run: bool = False) -> DataSettings | DataChangePreview:
        """Forget a lake; what is in it stays. Raises NotFound, NotAllowed, Outdated."""
        old = request_of(self.settings())
        others = tuple(each for each in old.lakes if each.name != name)
        if len(others) == len(old.lakes):
            names = ", ".join(each.name for each in others) or "none"
            raise NotFound(f"Lake {name!r} is not set.", hint=f"Lakes that are set: {names}.")
        return self._put(replace(old, lakes=others), dry_run=dry_run)

    def put_rules(
        self,
        *,
        unused: Number | None = None,
        high_water: float | None = None,
        projects: Mapping[str, Number] | None = None,
        datasets: Mapping[str, Number] | None = None,
        dry_run: bool = False,
    ) -> DataSettings | DataChangePreview:
        """Change how long unused cached versions stay; None keeps what is there.

        `unused` is a time such as `1d`, 0 until the room is needed; `projects` and `datasets` are
        exceptions by name. Above `high_water`, a share of the capacity, the least recently used go
        earlier. Raises InvalidFields, NotAllowed, Outdated.
        """
        old = request_of(self.settings())
        given = {
            "unused": unused,
            "high_water": high_water,
            "projects": None if projects is None else dict(projects),
            "datasets": None if datasets is None else dict(datasets),
        }
        wanted = {name: value for name, value in given.items() if value is not None}
        return self._put(replace(old, cache=replace(old.cache, **wanted)), dry_run=dry_run)

    def _put(
        self, request: DataSettingsRequest, *, dry_run: bool
    ) -> DataSettings | DataChangePreview:
        route = "lakes.preview" if dry_run else "lakes.put"
        answer: DataSettings | DataChangePreview = self._context.call(route, body=request)
        return answer
