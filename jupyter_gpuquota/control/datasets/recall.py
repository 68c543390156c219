"""What lakes said last, beside the controller: shown while a lake does not answer at the start."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from ...errors import GpuQuotaError, NotFound
from ...model.datasets.lakes import Lake
from ...store.lake.objects import Objects
from .shelf import Content, versions_of

_log = logging.getLogger(__name__)

_KIND = dict[str, Content]


class Recall:
    """Copies of what shelves contained, by the URLs of their lakes. They may be lost."""

    def __init__(self, own: Objects) -> None:
        self._own = own
        self._kept: dict[str, Mapping[str, Content]] = {}

    async def remember(self, lake: Lake, datasets: Mapping[str, Content]) -> None:
        """Keep what a lake contains, unless that is what was kept last."""
        if self._kept.get(lake.url) == datasets:
            return
        self._kept[lake.url] = datasets
        found = {name: replace(content, versions={}) for name, content in datasets.items()}
        try:
            await self._own.put(_key(lake), msgspec.json.encode(found))
        except GpuQuotaError as error:
            _log.warning("What lake %s contains cannot be kept: %s", lake.name, error)

    async def recall(self, lake: Lake) -> dict[str, Content]:
        """Return what a lake contained, nothing where that is not known."""
        try:
            found = msgspec.json.decode(await self._own.get(_key(lake)), type=_KIND)
        except NotFound:
            return {}
        except (GpuQuotaError, msgspec.DecodeError) as error:
            _log.warning("What lake %s contained cannot be read: %s", lake.name, error)
            return {}
        return {
            name: replace(content, versions=versions_of(each for _, each in content.commits))
            for name, content in found.items()
        }


def _key(lake: Lake) -> str:
    return f"lakes/{hashlib.sha256(lake.url.encode()).hexdigest()[:32]}.json"
