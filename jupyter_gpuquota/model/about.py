"""Who answers: the handshake between the halves of the product."""

from __future__ import annotations

from .base import Model, Request

API_VERSION = 2
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
    """The revision of each noun, and `latest`, that of everything together.

    A revision is text that stands for one state and is compared for equality only: every change
    makes another one. Those of one `instance` belong together; another begins anew.
    """

    instance: str
    latest: str
    nouns: dict[str, str]


class Change(Model, frozen=True, kw_only=True):
    """The event that a noun is at a new revision: whoever shows it reads it again."""

    noun: str
    revision: str
    instance: str


class ChangesQuery(Request, frozen=True, kw_only=True):
    """A wait of at most `timeout` seconds (0 to 60) until `latest` of `instance` is not `since`."""

    instance: str = ""
    since: str = ""
    timeout: int = 25
