"""Build a session's command line, environment and Jupyter configuration. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ...control.session_server.settings import (
    SERVER_CONFIG,
    server_flags,
    session_facts,
    socket_flags,
)
from ...environ import BACKEND, DATASETS, FOLDER, SESSION, SESSION_TOKEN_FILE, STATE_DIR, VOLUMES
from ...model.resources import MILLI, Placement, Share, Slice
from ...model.sessions import Session, SessionSpec
from ..folders.folders import TOKEN

_KEPT = re.compile(
    r"JUPYTER_((CONFIG|DATA)_(DIR|PATH)|PATH|NO_CONFIG|PREFER_ENV_PATH|PLATFORM_DIRS)"
)
"""Jupyter's variables that are settings of the account, not of one server."""
_DROPPED = re.compile(
    r"(JUPYTER|JPY|JUPYTERHUB|GPUQUOTA|CUDA_MPS|CONDA|KERNEL|LISTEN)_\w+|CUDA_VISIBLE_DEVICES|"
    r"CUDA_DEVICE_ORDER|VIRTUAL_ENV(_PROMPT)?|PYTHONHOME|MPLBACKEND|_|OLDPWD|PWD|PS1"
)
"""Variables of the process that started the controller: a server, hub, kernel or environment."""
_SERVER = (
    "import sys; sys.path = [each for each in sys.path if each]; import runpy; "
    "runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
)
"""Runs a module as `-m` does, but without the current folder on the path: a user's `types.py` would
stop the server, and a colleague's `tornado.py` would run in it. Python's `-P` is of 3.11."""
_WORKSPACES = "JUPYTERLAB_WORKSPACES_DIR"


@dataclass(frozen=True, slots=True)
class LaunchContext:
    """The machine's part of a launch.

    `python` and `module` are the program of a Jupyter Server; `active` is the variable that
    marks the environment as active, if any; `inherited` is the account's environment; `mps` is the
    pipe folder of a responding MPS daemon, empty if none. `runtime` is the folder of one run,
    `sockets` that of the sockets of its server and kernels,
    `workspaces` that of the session's JupyterLab workspaces, which outlive the run. In `datasets`
    and `volumes` the session finds its datasets and volumes by name. `controller` are the variables
    by which its programs find the controller, where that is not one of `state_dir` alone.
    """

    runtime: str
    workspaces: str
    state_dir: str
    token: str
    sockets: str
    python: str
    module: str
    inherited: Mapping[str, str]
    active: str = ""
    root: bool = False
    mps: str = ""
    datasets: str = ""
    volumes: str = ""
    controller: Mapping[str, str] = field(default_factory=dict)


def argv_of(spec: SessionSpec, session: Session, context: LaunchContext) -> tuple[str, ...]:
    """Return the session's command line; it has no secrets, as every account can read it."""
    if spec.command:
        return (*spec.command, *spec.args)
    flags = server_flags(
        session, ip="127.0.0.1", allow_root=context.root, **socket_flags(context.sockets)
    )
    return (context.python, "-c", _SERVER.format(module=context.module), *spec.args, *flags)


def env_of(session: Session, placement: Placement, context: LaunchContext) -> dict[str, str]:
    """Return the session's environment: the account's, the request's, then ours."""
    spec = session.spec
    own = {name: value for name, value in context.inherited.items() if _passes(name, value)}
    paths = [str(PurePosixPath(spec.environment, "bin")), own.get("PATH", "/usr/bin:/bin")]
    own |= {"PATH": ":".join(paths)} | (
        {context.active: spec.environment} if context.active else {}
    )
    own |= spec.env | _share(spec.share, placement, context) | _facts(session, placement)
    own |= context.controller or {STATE_DIR: context.state_dir, BACKEND: "local"}
    own[SESSION_TOKEN_FILE] = f"{context.runtime}/{TOKEN}"
    if spec.data:
        own[DATASETS] = context.datasets
    if spec.volumes:
        own[VOLUMES] = context.volumes
    if spec.serves_jupyter:
        configs = [*_config_dirs(context.runtime), own.get("JUPYTER_CONFIG_PATH", "")]
        own |= {
            "JUPYTER_TOKEN": context.token,
            "JUPYTER_RUNTIME_DIR": context.runtime,
            "JUPYTER_CONFIG_PATH": ":".join(filter(None, configs)),
            _WORKSPACES: spec.env.get(_WORKSPACES, context.workspaces),
        }
    return own | {"PWD": spec.folder}


def without_server(env: Mapping[str, str]) -> dict[str, str]:
    """Return a session's environment for other programs, without its server's variables."""
    runtime = env.get("JUPYTER_RUNTIME_DIR", "")
    own = {name: value for name, value in env.items() if name != "JUPYTER_TOKEN"}
    path = own.pop("JUPYTER_CONFIG_PATH", "")
    rest = [part for part in path.split(":") if part and part not in _config_dirs(runtime)]
    return own | ({"JUPYTER_CONFIG_PATH": ":".join(rest)} if rest else {})


def of_controller(env: Mapping[str, str]) -> dict[str, str]:
    """Return a session's environment for a program of the controller.

    It has no mark of the session: programs with one are killed when the session ends.
    """
    return {name: value for name, value in without_server(env).items() if name != SESSION}


def _config_dirs(runtime: str) -> tuple[str, str]:
    return f"{runtime}/config", SERVER_CONFIG


def _passes(name: str, value: str) -> bool:
    """Return whether a variable is inherited; one that is not valid text cannot be stored."""
    readable = not any("\ud800" <= letter <= "\udfff" for letter in name + value)
    return readable and (bool(_KEPT.fullmatch(name)) or not _DROPPED.fullmatch(name))


def _share(share: Share, placement: Placement, context: LaunchContext) -> dict[str, str]:
    """Return the variables that select the session's GPUs and, with MPS, limit it to them.

    For a simulated GPU, an empty CUDA_VISIBLE_DEVICES hides the real ones, which belong to others.
    """
    real = () if placement.simulated else placement.slices
    found = {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": ",".join(piece.uuid for piece in real),
    }
    if context.mps and real and not share.mig and not share.devices:
        piece = real[0]
        percentage = piece.compute or max(1, piece.milli * 100 // MILLI)
        found |= {
            "CUDA_MPS_PIPE_DIRECTORY": context.mps,
            "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT": f"0={piece.memory}M",
            "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(percentage),
        }
    return found


def _facts(session: Session, placement: Placement) -> dict[str, str]:
    found = session_facts(session) | {
        FOLDER: session.spec.folder,
        "GPUQUOTA_NODE": placement.node,
        "GPUQUOTA_GPUS_MILLI": str(placement.milli),
        "GPUQUOTA_MEMORY_MIB": str(_total(placement.slices)),
    }
    return found | ({"GPUQUOTA_SIMULATED": "1"} if placement.simulated else {})


def _total(slices: Sequence[Slice]) -> int:
    return sum(piece.memory for piece in slices)
