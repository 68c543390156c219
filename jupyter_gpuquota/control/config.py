"""What an admin may set of every backend: `c.GpuQuota`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from traitlets import Bool, Dict, Integer, List, TraitError, Unicode, validate
from traitlets.config import Config, Configurable

from ..core.projects import Known, check
from ..core.specs import NAME_LIMIT
from ..errors import InvalidFields
from ..model.base import UNCHANGED
from ..model.projects import ProjectRequest
from ..model.quota import Project, Rules
from ..model.resources import Node

T = TypeVar("T")

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", re.ASCII)


class GpuQuota(Configurable):
    """Settings of the controller, whichever backend it holds."""

    backend = Unicode(
        help="""Where sessions run: `local`, `memory`, or another backend that is installed. A flag
        `--backend` and the variable JUPYTER_GPUQUOTA_BACKEND win over it. Default: local.""",
    ).tag(config=True)

    state_dir = Unicode(
        help="""Folder of the controllers' state and of every session's files. It must be the
        account's own; it is made with mode 0700. A flag `--state-dir` and the variable
        GPUQUOTA_STATE_DIR win over it. Default: gpuquota in Jupyter's data folder.""",
    ).tag(config=True)

    projects = List(
        Dict(),
        help="""Teams and the number of GPUs that each is guaranteed, for example
        [{"name": "team-a", "quota": "4", "limit": "8", "interactive_duration": "8h"}]. Empty:
        one project, named after the account, that owns the whole machine. It counts until an
        admin changes a project for the first time; from then on projects are kept in the state
        folder.""",
    ).tag(config=True)

    quota_file = Unicode(
        help="""YAML file that sets projects, node groups and rules, for example one in version
        control. It is read again whenever it changes, and then nothing else sets them. One that
        cannot be read is reported, and what was read last stays in force.""",
    ).tag(config=True)

    admins = List(
        Unicode(),
        help="""People who may change projects and see all sessions, and `group:NAME`. Empty: the
        account that owns the state folder, where it comes by the socket.""",
    ).tag(config=True)

    reclaim_grace = Integer(
        60,
        min=0,
        help="""Seconds that a session has to save its work and end by itself when its GPUs are
        taken back for a project that is under its quota.""",
    ).tag(config=True)

    min_runtime = Integer(
        0,
        min=0,
        help="Seconds that a session runs before its GPUs may be taken back.",
    ).tag(config=True)

    consolidate = Bool(
        default_value=False,
        help="""Whether sessions that borrow are stopped and started elsewhere where that makes
        room for one that only fragments of GPUs are free for.""",
    ).tag(config=True)

    history_interval = Integer(
        30,
        min=1,
        max=3600,
        help="""Seconds between two samples of who uses how much, while a session is live or
        waits.""",
    ).tag(config=True)

    history_days = Integer(
        90,
        min=1,
        max=3660,
        help="""Days that the history of use is kept: the last day in steps of 30 s, a week in
        steps of 5 minutes, the rest in hours.""",
    ).tag(config=True)

    history_bytes = Integer(
        64 * 1024 * 1024,
        min=256 * 1024,
        help="Most bytes that the history of use may take; above that, the oldest goes.",
    ).tag(config=True)

    idle_interval = Integer(
        30,
        min=1,
        max=3600,
        help="Seconds between two looks at whether running sessions are used.",
    ).tag(config=True)

    webhook = Unicode(
        help="""Address that is told, in Slack's format, when a session is about to be suspended
        or stopped for being idle, and when it was: {"text": "..."}. It is a secret: set it where
        only the account can read it.""",
    ).tag(config=True)

    @validate("state_dir")
    def _check_state_dir(self, proposal: Any) -> str:
        return str(absolute(proposal["value"], "state_dir")) if proposal["value"] else ""

    @validate("webhook")
    def _check_webhook(self, proposal: Any) -> str:
        address = str(proposal["value"])
        if address and not address.startswith(("https://", "http://127.0.0.1:")):
            raise TraitError("webhook must begin with https://.")
        return address

    @validate("projects")
    def _check_projects(self, proposal: Any) -> list[dict[str, Any]]:
        read(proposal["value"], ProjectRequest, "projects")
        return list(proposal["value"])

    def rules(self) -> Rules:
        """Return what holds for all projects."""
        return Rules(
            grace=self.reclaim_grace, min_runtime=self.min_runtime, consolidate=self.consolidate
        )

    def teams(self, nodes: Sequence[Node]) -> tuple[Project, ...]:
        """Return every configured project, for the groups that the nodes are in.

        Raises TraitError that names every broken field.
        """
        asked = read(self.projects, ProjectRequest, "projects")
        check_names([request.name for request in asked], "projects")
        known = Known(nodes=nodes)
        try:
            return tuple(
                msgspec.structs.replace(
                    check(request, known, prefix=f"{request.name}: "), revision=UNCHANGED
                )
                for request in asked
            )
        except InvalidFields as error:
            problems = "; ".join(f"{f.field}: {f.message} {f.hint}".strip() for f in error.fields)
            raise TraitError(f"projects: {problems}") from error


def moved(config: Config) -> tuple[Config, tuple[str, ...]]:
    """Return a configuration whose settings stand under `GpuQuota`, and the ones that did not.

    What the controller shares for all backends was part of `LocalConfig` before there were others.
    """
    found = config.get("LocalConfig", Config())
    names = [name for name in GpuQuota.class_trait_names(config=True) if name in found]
    new = deepcopy(config)
    for name in names:
        new.GpuQuota.setdefault(name, new.LocalConfig.pop(name))
    return new, tuple(f"c.LocalConfig.{name} is now c.GpuQuota.{name}." for name in names)


def absolute(value: object, trait: str) -> Path:
    """Return an absolute path. Raises TraitError."""
    path = Path(str(value)).expanduser()
    if not path.is_absolute():
        raise TraitError(f"{trait} must be an absolute path, not {path}.")
    return path


def read(value: object, kind: type[T], trait: str) -> list[T]:
    """Return a list of structures. Raises TraitError that names the trait."""
    try:
        return msgspec.convert(value, list[kind])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise TraitError(f"{trait}: {error}") from error


def check_names(names: Sequence[str], trait: str) -> None:
    """Raise TraitError for a name that is badly formed or stands there twice."""
    for name in names:
        if not _NAME.fullmatch(name) or len(name) > NAME_LIMIT:
            raise TraitError(
                f"{trait}: {name!r} is not a name: use small letters, digits and hyphens, "
                f"at most {NAME_LIMIT}."
            )
    if len(set(names)) < len(names):
        raise TraitError(f"{trait}: two have the same name.")
