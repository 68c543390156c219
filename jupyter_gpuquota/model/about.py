"""Who answers: the handshake between the halves of the product."""

from __future__ import annotations

from .base import Model, Request

API_VERSION = 1
"""Grows when an older client would misunderstand an answer."""


class About(Model, frozen=True, kw_only=True):
    """Who answers.

    `capabilities` are the optional abilities of the backend (`logs`, `exec`, `ingress`, `history`,
    `administration`, `policing`).
    `warnings` are things that an admin should hear of, for example that a damaged state file
    was moved aside. `source` is where GPUs come from: `nvml`, `simulated` or `none`.
    `local_files` is true where sessions see the folders and Python prefixes of the machine that
    the controller runs on, `outlives_controller` where they run on without it.
    """

    version: str
    api: int
    backend: str
    user: str
    source: str
    simulated: bool
    local_files: bool = True
    outlives_controller: bool = True
    capabilities: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class Revisions(Model, frozen=True, kw_only=True):
    """Say at which revision each noun is.

    One counter serves all nouns: a noun's revision is the counter at its last change, `latest`
    the counter now. `instance` changes whenever counting starts anew.
    """

    instance: str
    latest: int
    nouns: dict[str, int]


class Change(Model, frozen=True, kw_only=True):
    """Be the event that a noun is at a new revision: whoever shows it reads it again."""

    noun: str
    revision: int
    instance: str


class ChangesQuery(Request, frozen=True, kw_only=True):
    """Wait for a change past `since` of `instance`, for at most `timeout` seconds (0 to 60)."""

    instance: str = ""
    since: int = 0
    timeout: int = 25
