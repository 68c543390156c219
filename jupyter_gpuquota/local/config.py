"""What an admin may set of the local backend."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from jupyter_core.paths import jupyter_data_dir
from traitlets import Bool, Dict, Enum, Float, Integer, List, TraitError, Unicode, default, validate
from traitlets.config import Configurable

from ..core.projects import Known, check
from ..core.specs import NAME_LIMIT
from ..errors import InvalidFields
from ..model.base import Request
from ..model.projects import ProjectRequest
from ..model.quota import Project, Rules
from ..model.resources import Node

T = TypeVar("T")

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", re.ASCII)


class SimulatedNode(Request, frozen=True, kw_only=True):
    """Be a machine that does not exist: `gpus` devices of `memory` MiB each.

    `labels` name the node groups that it belongs to; see `Node` for `separate`.
    """

    name: str
    gpus: Annotated[int, msgspec.Meta(ge=1, le=64)]
    memory: Annotated[int, msgspec.Meta(ge=1)] = 32_768
    model: str = "GPU"
    labels: tuple[str, ...] = ()
    separate: bool = False


class LocalConfig(Configurable):
    """Configure sessions on this machine."""

    state_dir = Unicode(
        help="""Folder of the controller's state and of every session's files. It must be the
        account's own; it is made with mode 0700. Default: gpuquota in Jupyter's data folder.""",
    ).tag(config=True)

    devices = Enum(
        ("auto", "nvml", "simulated"),
        default_value="auto",
        help="""Where GPUs come from. `nvml`: the NVIDIA driver. `simulated`: `simulated_nodes`.
        `auto`: the driver if it finds a GPU, else `simulated_nodes`.""",
    ).tag(config=True)

    simulated_nodes = List(
        Dict(),
        help="""Machines that do not exist, to try the product without a GPU, for example
        [{"name": "dgx1-1", "gpus": 8, "memory": 32768, "model": "V100-32GB"}]; memory in MiB.
        Their sessions are real processes, their GPUs are shown as simulated everywhere.""",
    ).tag(config=True)

    projects = List(
        Dict(),
        help="""Teams and the number of GPUs that each has by right, for example
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
        help="""Accounts that may change projects. Empty: the one that owns the state folder.""",
    ).tag(config=True)

    environments = List(
        Unicode(),
        help="""Python prefixes that sessions may start from, besides those that are found by
        themselves: the controller's own, those of kernels, and conda's.""",
    ).tag(config=True)

    root_dir = Unicode(
        help="""Folder that relative folders of a request start from, and the one taken when a
        request names none. Default: the account's home.""",
    ).tag(config=True)

    stop_grace = Float(
        10.0,
        min=0.0,
        help="Seconds that a session has to end by itself before it is killed.",
    ).tag(config=True)

    reclaim_grace = Integer(
        60,
        min=0,
        help="""Seconds that a session has to save its work and end by itself when its GPUs are
        taken back for a project that has the right to them.""",
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

    start_timeout = Float(
        120.0,
        min=1.0,
        help="Seconds after which a Jupyter Server that does not answer counts as failed.",
    ).tag(config=True)

    log_bytes = Integer(
        10 * 1024 * 1024,
        min=4096,
        help="Size in bytes at which a session's log is rotated.",
    ).tag(config=True)

    log_files = Integer(
        3, min=0, help="How many rotated logs of a session are kept besides the newest."
    ).tag(config=True)

    poll_interval = Float(
        10.0,
        min=0.1,
        help="Seconds between two readings of the GPUs while a session runs or someone looks.",
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

    clock_rate = Float(
        1.0,
        min=1.0,
        max=10_000.0,
        help="""How many seconds of idleness one second stands for, to try out a policy: with 60
        a timeout of 30 minutes is over after 30 seconds. Leave it at 1 for work.""",
    ).tag(config=True)

    clock_ahead = Float(
        0.0,
        help="""Seconds that the clock of idleness is ahead of the machine's, to try out quiet
        hours: with 43200 it is already tonight. Leave it at 0 for work.""",
    ).tag(config=True)

    mps_control = Unicode(
        "nvidia-cuda-mps-control",
        help="""Program that asks NVIDIA's MPS control daemon, by name or path. Empty: shares are
        never enforced by MPS.""",
    ).tag(config=True)

    mps_pipe_dir = Unicode(
        help="""Folder in which the MPS control daemon answers. Default: the environment's
        CUDA_MPS_PIPE_DIRECTORY, else /tmp/nvidia-mps.""",
    ).tag(config=True)

    @default("state_dir")
    def _default_state_dir(self) -> str:
        return str(Path(jupyter_data_dir()) / "gpuquota")

    @default("root_dir")
    def _default_root_dir(self) -> str:
        return str(Path.home())

    @default("mps_pipe_dir")
    def _default_mps_pipe_dir(self) -> str:
        return os.environ.get("CUDA_MPS_PIPE_DIRECTORY") or "/tmp/nvidia-mps"  # noqa: S108 (NVIDIA's)

    @validate("state_dir", "root_dir")
    def _absolute(self, proposal: Any) -> str:
        path = Path(proposal["value"]).expanduser()
        if not path.is_absolute():
            raise TraitError(f"{proposal['trait'].name} must be an absolute path, not {path}.")
        return str(path)

    @validate("webhook")
    def _check_webhook(self, proposal: Any) -> str:
        address = str(proposal["value"])
        if address and not address.startswith(("https://", "http://127.0.0.1:")):
            raise TraitError("webhook must begin with https://.")
        return address

    @validate("simulated_nodes")
    def _check_nodes(self, proposal: Any) -> list[dict[str, Any]]:
        nodes = _read(proposal["value"], SimulatedNode, "simulated_nodes")
        _check_names([node.name for node in nodes], "simulated_nodes")
        return list(proposal["value"])

    @validate("projects")
    def _check_projects(self, proposal: Any) -> list[dict[str, Any]]:
        self._teams(proposal["value"])
        return list(proposal["value"])

    def nodes(self) -> list[SimulatedNode]:
        """Return the simulated nodes, checked."""
        return _read(self.simulated_nodes, SimulatedNode, "simulated_nodes")

    def rules(self) -> Rules:
        """Return what holds for all projects."""
        return Rules(
            grace=self.reclaim_grace, min_runtime=self.min_runtime, consolidate=self.consolidate
        )

    def teams(self) -> tuple[Project, ...]:
        """Return every configured project."""
        return self._teams(self.projects)

    def _teams(self, value: object) -> tuple[Project, ...]:
        asked = _read(value, ProjectRequest, "projects")
        _check_names([request.name for request in asked], "projects")
        labels = {label for node in self.nodes() for label in node.labels}
        known = Known(nodes=[Node(name="", labels=tuple(labels))])
        try:
            return tuple(
                msgspec.structs.replace(
                    check(request, known, prefix=f"{request.name}: "), revision=1
                )
                for request in asked
            )
        except InvalidFields as error:
            problems = "; ".join(f"{f.field}: {f.message} {f.hint}".strip() for f in error.fields)
            raise TraitError(f"projects: {problems}") from error


def _read(value: object, kind: type[T], trait: str) -> list[T]:
    try:
        return msgspec.convert(value, list[kind])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise TraitError(f"{trait}: {error}") from error


def _check_names(names: list[str], trait: str) -> None:
    for name in names:
        if not _NAME.fullmatch(name) or len(name) > NAME_LIMIT:
            raise TraitError(
                f"{trait}: {name!r} is no name; it has small letters, digits and hyphens, "
                f"at most {NAME_LIMIT}."
            )
    if len(set(names)) < len(names):
        raise TraitError(f"{trait}: two have the same name.")
