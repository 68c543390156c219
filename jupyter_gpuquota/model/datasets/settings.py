"""What admins set for datasets: lakes, and how long cached versions stay."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ..spans import write_span
from ..struct import UNCHANGED, Message, Model, Number, Request
from .datasets import Lake

DAY = 86_400


class CacheSettings(Model, frozen=True, kw_only=True):
    """How long cached versions stay that nothing uses, in seconds; 0: until the room is needed.

    `projects` and `datasets` have other times than `unused`, by name; a dataset's own comes first,
    then that of its project. Above `high_water`, a share of the capacity, the least recently used
    ones go earlier.
    """

    unused: int = DAY
    high_water: float = 0.9
    projects: Mapping[str, int] = msgspec.field(default_factory=dict)
    datasets: Mapping[str, int] = msgspec.field(default_factory=dict)


class DataSettings(Model, frozen=True, kw_only=True):
    """The lakes and the rules for cached versions, with the revision of both.

    Without lakes, a backend uses its own, if it has one.
    """

    lakes: tuple[Lake, ...] = ()
    cache: CacheSettings = CacheSettings()
    revision: str = UNCHANGED


class LakeRequest(Request, frozen=True, kw_only=True):
    """A lake: its name, the URL of a bucket or folder, where its credentials are, who may use it.

    `credentials` is the path of a file with lines `KEY=VALUE`, or the name of a Secret; empty for
    those of the controller's environment. `projects` may create datasets in it, all if it is empty.
    """

    name: str
    url: str
    credentials: str = ""
    projects: tuple[str, ...] = ()
    default: bool = False


class CacheRulesRequest(Request, frozen=True, kw_only=True):
    """How long unused cached versions stay (`1d`; `0`: until the room is needed), as typed.

    `projects` and `datasets` are exceptions by name. `high_water` is a share of the capacity.
    """

    unused: Number = "1d"
    high_water: float = 0.9
    projects: dict[str, Number] = msgspec.field(default_factory=dict)
    datasets: dict[str, Number] = msgspec.field(default_factory=dict)


class DataSettingsRequest(Request, frozen=True, kw_only=True):
    """The lakes and the rules for cached versions, which replace the present ones.

    `revision` is that of the settings that they were made from.
    """

    lakes: tuple[LakeRequest, ...] = ()
    cache: CacheRulesRequest = CacheRulesRequest()
    revision: str = ""


class DataChangePreview(Model, frozen=True, kw_only=True):
    """What a change of these settings would do now, in sentences.

    `evicted` are the cached versions that would go, as `NAME@ID`, of `freed` bytes in all;
    `orphaned` are datasets whose lake would no longer be set.
    """

    message: str
    sentences: tuple[Message, ...] = ()
    evicted: tuple[str, ...] = ()
    freed: int = 0
    orphaned: tuple[str, ...] = ()


def request_of(settings: DataSettings) -> DataSettingsRequest:
    """Return the request for the present settings, to be changed in part."""
    cache = settings.cache
    return DataSettingsRequest(
        lakes=tuple(
            LakeRequest(
                name=lake.name,
                url=lake.url,
                credentials=lake.credentials,
                projects=lake.projects,
                default=lake.default,
            )
            for lake in settings.lakes
        ),
        cache=CacheRulesRequest(
            unused=write_span(cache.unused),
            high_water=cache.high_water,
            projects={name: write_span(span) for name, span in cache.projects.items()},
            datasets={name: write_span(span) for name, span in cache.datasets.items()},
        ),
        revision=settings.revision,
    )
