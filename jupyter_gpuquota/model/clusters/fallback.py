"""Ordered lists of places for one request: the next is tried when the first cannot be had."""

from __future__ import annotations

from datetime import datetime

from ..resources import Share
from ..struct import Model
from .names import place_label


class FallbackPlace(Model, frozen=True, kw_only=True):
    """One entry of a list: a cluster, or a template, by its `name`.

    `cluster`, `project` and `share` are what it comes to. `refused` is why the cluster has not
    taken the session when its turn came; empty if it has, or was not asked yet.
    """

    name: str
    cluster: str
    project: str
    share: Share
    refused: str = ""

    @property
    def label(self) -> str:
        """How it is named in texts."""
        return place_label(self.name, self.cluster)


class Fallback(Model, frozen=True, kw_only=True):
    """The list of a session, and how far it is.

    `current` is the number of the present place, from 0, where it has been `since` then; at
    `until` the place `next` is tried. Without `until` it waits for the cluster of that place to be
    reached; both are None if it stays. While it is `moving` it is in neither.
    """

    places: tuple[FallbackPlace, ...]
    current: int = 0
    since: datetime
    until: datetime | None = None
    next: int | None = None
    moving: bool = False

    @property
    def cluster(self) -> str:
        """The cluster of the present place."""
        return self.places[self.current].cluster


class PlacePreview(Model, frozen=True, kw_only=True):
    """What would happen to a request at one place of its list now."""

    name: str
    cluster: str
    project: str
    verdict: str
    message: str

    @property
    def label(self) -> str:
        """How it is named in texts."""
        return place_label(self.name, self.cluster)
