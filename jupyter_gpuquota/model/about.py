"""About the controller: the handshake between client, extension and controller."""

from __future__ import annotations

from typing import Annotated

from .struct import ADDED, Model, Request

API_VERSION = 2
"""Increased when an older client would misunderstand an answer."""


class About(Model, frozen=True, kw_only=True):
    """The controller that answers.

    `capabilities` names the optional parts of its backend: see `ports.backend.CAPABILITIES`.
    `warnings` is for admins and for the account whose own controller it is, for example that a
    damaged state file was moved aside. `source` is where GPUs come from: `nvml`, `simulated`,
    `cluster` or `none`. `local_files` is true if sessions see the folders and Python prefixes of
    the controller's machine, `outlives_controller` if they keep running without it. `containers` is
    true if sessions are containers and have their options. `clusters` are their names where there
    are several, the first one first: all else is about that one.
    """

    version: str
    api: int
    backend: str
    user: str
    source: str
    simulated: bool
    local_files: bool = True
    outlives_controller: bool = True
    containers: Annotated[bool, ADDED] = False
    clusters: Annotated[tuple[str, ...], ADDED] = ()
    capabilities: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class Revisions(Model, frozen=True, kw_only=True):
    """The revision of each noun, and `latest`, that of everything together.

    A revision is text that stands for one state and is compared for equality only: every change
    makes another one. They belong to one `instance` of the controller.
    """

    instance: str
    latest: str
    nouns: dict[str, str]


class Change(Model, frozen=True, kw_only=True):
    """The event that a noun has a new revision: screens that show it read it again."""

    noun: str
    revision: str
    instance: str


class ChangesQuery(Request, frozen=True, kw_only=True):
    """A wait of at most `timeout` seconds (0 to 60) until `latest` of `instance` is not `since`."""

    instance: str = ""
    since: str = ""
    timeout: int = 25
