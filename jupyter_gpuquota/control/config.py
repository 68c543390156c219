"""Configuration that all backends share: `c.GpuQuota`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from traitlets import Bool, Dict, Enum, Float, Integer, List, TraitError, Unicode, validate
from traitlets.config import Config, Configurable

from .. import accounts
from ..core.fields import NAME_LIMIT, FieldReader
from ..core.hosts import parse as parse_hosts
from ..core.projects import Known, check
from ..errors import InvalidRequest
from ..model.projects import ProjectRequest
from ..model.quota import Project, Rules
from ..model.resources import Node
from ..model.struct import UNCHANGED
from .webhook import check_address

T = TypeVar("T")

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", re.ASCII)


class GpuQuota(Configurable):
    """Settings of the controller, for every backend."""

    hosting = Enum(
        ["unix", "https"],
        default_value="unix",
        help="How clients reach the controller: set by the controller itself.",
    )

    controller = Dict(
        Unicode(),
        help="""Variables by which programs in sessions find the controller: set by the controller
        itself.""",
    )

    backend = Unicode(
        help="""Where sessions run: `local`, `memory`, or another installed backend. Overridden by
        the flag `--backend` and the variable JUPYTER_GPUQUOTA_BACKEND. Default: local.""",
    ).tag(config=True)

    state_dir = Unicode(
        help="""Folder for the state of controllers and the files of sessions. It must belong to the
        account; it is created with mode 0700. Overridden by the flag `--state-dir` and the variable
        GPUQUOTA_STATE_DIR. Default: gpuquota in Jupyter's data folder.""",
    ).tag(config=True)

    projects = List(
        Dict(),
        help="""Projects and their guaranteed numbers of GPUs, for example
        [{"name": "team-a", "quota": "4", "limit": "8", "interactive_duration": "8h"}]. Empty:
        one project, named after the account, that owns the whole machine. Used until an admin
        first changes a project; from then on projects are stored in the state folder.""",
    ).tag(config=True)

    quota_file = Unicode(
        help="""YAML file that sets projects, node groups and rules, for example one under version
        control. It is the only source of these settings, and is reloaded whenever it changes.
        While it is unreadable, a warning is shown and the last valid version stays in force.""",
    ).tag(config=True)

    admins = List(
        Unicode(),
        help="""Users, and groups as `group:NAME`, who may change projects and see all sessions.
        Empty: the account that owns the state folder, when it connects through the socket.""",
    ).tag(config=True)

    reclaim_grace = Integer(
        60,
        min=0,
        help="""Seconds for a session to save its work and end by itself when its GPUs are
        reclaimed for a project that is under its quota.""",
    ).tag(config=True)

    save_timeout = Float(
        10.0,
        min=0.0,
        help="""Seconds for the open pages of a session to save their documents before the session
        ends, for any reason; it ends as soon as all have saved. When GPUs are reclaimed, pages
        have the whole `reclaim_grace`.""",
    ).tag(config=True)

    min_runtime = Integer(
        0,
        min=0,
        help="Seconds that a session runs before its GPUs may be reclaimed.",
    ).tag(config=True)

    consolidate = Bool(
        default_value=False,
        help="""Whether to move borrowing sessions (stop, then start on other GPUs) when that frees
        whole GPUs for a session for which only fragments are free.""",
    ).tag(config=True)

    history_interval = Integer(
        30,
        min=1,
        max=3600,
        help="Seconds between two samples of GPU use, while a session is live or queued.",
    ).tag(config=True)

    history_days = Integer(
        90,
        min=1,
        max=3660,
        help="""Days of usage history: the last day in steps of 30 s, a week in steps of 5 minutes,
        the rest in hours.""",
    ).tag(config=True)

    history_bytes = Integer(
        64 * 1024 * 1024,
        min=256 * 1024,
        help="Maximum size of the usage history in bytes; beyond it, the oldest is deleted.",
    ).tag(config=True)

    idle_interval = Integer(
        30,
        min=1,
        max=3600,
        help="Seconds between two activity checks of running sessions.",
    ).tag(config=True)

    webhook = Unicode(
        help="""Address to notify, in Slack's format ({"text": "..."}), before and when an idle
        session is suspended or stopped. It is a secret: set it where only the account can read
        it.""",
    ).tag(config=True)

    ingress_host = Unicode(
        help="""Host of sessions and their ports, separate from JupyterLab's, for example
        {session}.gpu.example.org: each gets an origin of its own, so that its pages cannot act as
        JupyterLab. It needs a wildcard DNS name and certificate that lead to JupyterLab.
        {session} is replaced by a session's id, or id-port. JupyterLab reads it at start. Empty:
        sessions are served at JupyterLab's own host.""",
    ).tag(config=True)

    kernelspecs = Bool(
        default_value=True,
        help="""Whether JupyterLab writes a kernelspec for each of its user's sessions and
        templates, so that notebooks can choose them as kernels. JupyterLab reads it at start.""",
    ).tag(config=True)

    clusters = Dict(
        Dict(),
        help="""Other clusters under the same controller, by their names, each with the name of its
        backend and the settings that this has there, for example
        {"cloud": {"backend": "kubernetes", "KubernetesConfig": {"context": "cloud"}}}. Their
        projects are called cloud/team-a. Settings of the section GpuQuota are each cluster's own,
        too.""",
    ).tag(config=True)

    cluster_name = Unicode(
        help="The name of the controller's own cluster, beside others. Default: its backend's.",
    ).tag(config=True)

    fallback_wait = Integer(
        600,
        min=10,
        help="""Seconds for which a session waits in a cluster until the next of its list is tried,
        where its request does not say.""",
    ).tag(config=True)

    @validate("clusters")
    def _check_clusters(self, proposal: Any) -> dict[str, dict[str, Any]]:
        check_names(list(proposal["value"]), "clusters")
        for name, entry in proposal["value"].items():
            if not isinstance(entry.get("backend"), str):
                raise TraitError(f"clusters: {name} needs the name of its backend.")
        return dict(proposal["value"])

    @validate("cluster_name")
    def _check_cluster_name(self, proposal: Any) -> str:
        if proposal["value"]:
            check_names([proposal["value"]], "cluster_name")
        return str(proposal["value"])

    @validate("state_dir")
    def _check_state_dir(self, proposal: Any) -> str:
        return str(absolute(proposal["value"], "state_dir")) if proposal["value"] else ""

    @validate("ingress_host")
    def _check_ingress_host(self, proposal: Any) -> str:
        text = str(proposal["value"])
        try:
            if text:
                parse_hosts(text)
        except InvalidRequest as error:
            raise TraitError(f"ingress_host: {error.message}") from error
        return text

    @validate("webhook")
    def _check_webhook(self, proposal: Any) -> str:
        address = str(proposal["value"])
        try:
            if address:
                check_address(address)
        except ValueError as error:
            raise TraitError(f"webhook is unusable: {error}.") from None
        return address

    @validate("projects")
    def _check_projects(self, proposal: Any) -> list[dict[str, Any]]:
        read(proposal["value"], ProjectRequest, "projects")
        return list(proposal["value"])

    def rules(self) -> Rules:
        """Return the rules for all projects."""
        return Rules(
            grace=self.reclaim_grace, min_runtime=self.min_runtime, consolidate=self.consolidate
        )

    def teams(self, nodes: Sequence[Node]) -> tuple[Project, ...]:
        """Return every configured project, validated against the groups of the nodes.

        Raises TraitError with every invalid field.
        """
        asked = read(self.projects, ProjectRequest, "projects")
        check_names([request.name for request in asked], "projects")
        known, reader = Known(nodes=nodes), FieldReader()
        projects = [
            reader.under(f"{request.name}: ").take(partial(check, request, known))
            for request in asked
        ]
        if reader.errors:
            texts = (f"{e.field}: {e.message} {e.hint}".strip() for e in reader.errors)
            raise TraitError(f"projects: {'; '.join(texts)}")
        return tuple(msgspec.structs.replace(p, revision=UNCHANGED) for p in projects if p)


def moved(config: Config) -> tuple[Config, tuple[str, ...]]:
    """Return a configuration with shared settings under `GpuQuota`, and a warning for each moved.

    Settings that are now shared by all backends were part of `LocalConfig` before.
    """
    found = config.get("LocalConfig", Config())
    names = [name for name in GpuQuota.class_trait_names(config=True) if name in found]
    new = deepcopy(config)
    for name in names:
        new.GpuQuota.setdefault(name, new.LocalConfig.pop(name))
    return new, tuple(f"c.LocalConfig.{name} is now c.GpuQuota.{name}." for name in names)


def absolute(value: object, trait: str) -> Path:
    """Return an absolute path. Raises TraitError."""
    path = accounts.expanded(str(value))
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
    """Raise TraitError for an invalid or duplicate name."""
    for name in names:
        if not _NAME.fullmatch(name) or len(name) > NAME_LIMIT:
            raise TraitError(
                f"{trait}: {name!r} is not a valid name: use lowercase letters, digits, hyphens, "
                f"at most {NAME_LIMIT}."
            )
    if len(set(names)) < len(names):
        raise TraitError(f"{trait}: names must be unique.")
