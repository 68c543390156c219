"""Build what a session is started with. Pure: the same arguments give the same launch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..errors import FieldError
from ..model.resources import MILLI, Placement, Share, Slice
from ..model.sessions import Session, SessionSpec

_KEPT = re.compile(
    r"JUPYTER_((CONFIG|DATA)_(DIR|PATH)|PATH|NO_CONFIG|PREFER_ENV_PATH|PLATFORM_DIRS)"
)
"""Jupyter's variables that are settings of the account, not of the server that it runs in."""
_DROPPED = re.compile(
    r"(JUPYTER|JPY|JUPYTERHUB|GPUQUOTA|CUDA_MPS|CONDA|KERNEL|LISTEN)_\w+|CUDA_VISIBLE_DEVICES|"
    r"CUDA_DEVICE_ORDER|VIRTUAL_ENV(_PROMPT)?|PYTHONHOME|MPLBACKEND|_|OLDPWD|PWD|PS1"
)
"""What belongs to whoever started the controller: a server, a hub, a kernel, an environment."""
_RESERVED_FLAG = re.compile(
    r"--(ip|port|port[-_]retries|sock|sock[-_]mode|transport|notebook[-_]dir|allow[-_]root|"
    r"keyfile|certfile|client[-_]ca)|"
    r"--(\w+App|\w*IdentityProvider)\.(ip|port|port_retries|sock|sock_mode|base_url|root_dir|"
    r"notebook_dir|token|password|password_required|hashed_password|allow_root|"
    r"identity_provider_class|login_handler_class|certfile|keyfile|open_browser|"
    r"shutdown_no_activity_timeout|custom_display_url)"
)


@dataclass(frozen=True, slots=True)
class Means:
    """Be what the machine gives to a launch.

    `python` and `module` are the program of a Jupyter Server; `active` names the variable that
    says that the environment is active, if there is one; `inherited` is the account's
    environment; `mps` the pipe folder of an MPS daemon that answers, empty if none.
    """

    runtime: str
    state_dir: str
    token: str
    own_token: str
    port: int
    python: str
    module: str
    inherited: Mapping[str, str]
    active: str = ""
    root: bool = False
    mps: str = ""


def reserved_args(spec: SessionSpec) -> Iterator[FieldError]:
    """Say which arguments would take from us how a Jupyter Server is reached and protected."""
    for i, word in enumerate(spec.args if spec.serves_jupyter else ()):
        if found := _RESERVED_FLAG.fullmatch(word.partition("=")[0]):
            message = f"{found[0]} is set by the session itself."
            yield FieldError(f"args[{i}]", message, "Leave it out.")


def argv_of(spec: SessionSpec, session: Session, means: Means) -> tuple[str, ...]:
    """Return the words of the session's program; never a secret, everyone can read them."""
    if spec.command:
        return (*spec.command, *spec.args)
    base_url = f"{spec.base_url.rstrip('/')}/{session.path}"
    ours = {
        "ip": "127.0.0.1",
        "port": means.port,
        "port_retries": 50,
        "base_url": base_url,
        "root_dir": spec.folder,
        "open_browser": False,
        "allow_root": means.root,
        "shutdown_no_activity_timeout": 0,
    }
    return (
        means.python,
        "-m",
        means.module,
        *spec.args,
        *(f"--ServerApp.{name}={value}" for name, value in ours.items()),
    )


def env_of(session: Session, placement: Placement, means: Means) -> dict[str, str]:
    """Return the session's environment: the account's, the request's, then ours."""
    spec = session.spec
    own = {name: value for name, value in means.inherited.items() if _passes(name, value)}
    paths = [str(PurePosixPath(spec.environment, "bin")), own.get("PATH", "/usr/bin:/bin")]
    own |= {"PATH": ":".join(paths)} | ({means.active: spec.environment} if means.active else {})
    own |= spec.env | _share(spec.share, placement, means) | _facts(session, placement)
    own |= {"GPUQUOTA_STATE_DIR": means.state_dir, "JUPYTER_GPUQUOTA_BACKEND": "local"}
    own["GPUQUOTA_SESSION_TOKEN"] = means.own_token
    if spec.serves_jupyter:
        configs = [_config_dir(means.runtime), own.get("JUPYTER_CONFIG_PATH", "")]
        own |= {
            "JUPYTER_TOKEN": means.token,
            "JUPYTER_RUNTIME_DIR": means.runtime,
            "JUPYTER_CONFIG_PATH": ":".join(filter(None, configs)),
        }
    return own | {"PWD": spec.folder}


def config_of(means: Means) -> dict[str, object]:
    """Return what the account's own Jupyter configuration must not change.

    It is put on top of Jupyter's configuration path rather than into the program's words, which
    everyone can read. Without it, a configuration that switches the token off would open the
    session to every account of the machine.
    """
    protection = {"token": means.token, "certfile": "", "keyfile": "", "client_ca": ""}
    return {"ServerApp": protection, "IdentityProvider": {"token": means.token}}


def without_server(env: Mapping[str, str]) -> dict[str, str]:
    """Return a session's environment for other programs: without what is its server's alone."""
    runtime = env.get("JUPYTER_RUNTIME_DIR", "")
    own = {name: value for name, value in env.items() if name != "JUPYTER_TOKEN"}
    path = own.pop("JUPYTER_CONFIG_PATH", "")
    rest = [part for part in path.split(":") if part and part != _config_dir(runtime)]
    return own | ({"JUPYTER_CONFIG_PATH": ":".join(rest)} if rest else {})


def _config_dir(runtime: str) -> str:
    return f"{runtime}/config"


def _passes(name: str, value: str) -> bool:
    """Tell whether a variable is handed on; one that is no text cannot be written down."""
    readable = not any("\ud800" <= letter <= "\udfff" for letter in name + value)
    return readable and (bool(_KEPT.fullmatch(name)) or not _DROPPED.fullmatch(name))


def _share(share: Share, placement: Placement, means: Means) -> dict[str, str]:
    """Return what shows the session its GPUs and, with MPS, limits it to them.

    An empty CUDA_VISIBLE_DEVICES hides all: of a simulated GPU there is nothing to show, and
    the real ones of the same machine belong to others.
    """
    real = () if placement.simulated else placement.slices
    found = {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": ",".join(piece.uuid for piece in real),
    }
    if means.mps and real and not share.mig and not share.devices:
        piece = real[0]
        percentage = piece.compute or max(1, piece.milli * 100 // MILLI)
        found |= {
            "CUDA_MPS_PIPE_DIRECTORY": means.mps,
            "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT": f"0={piece.memory}M",
            "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(percentage),
        }
    return found


def _facts(session: Session, placement: Placement) -> dict[str, str]:
    found = {
        "GPUQUOTA_SESSION": session.id,
        "GPUQUOTA_NAME": session.spec.name,
        "GPUQUOTA_PROJECT": session.spec.project,
        "GPUQUOTA_NODE": placement.node,
        "GPUQUOTA_SHARE": session.spec.share.text,
        "GPUQUOTA_GPUS_MILLI": str(placement.milli),
        "GPUQUOTA_MEMORY_MIB": str(_total(placement.slices)),
        "GPUQUOTA_PORTS": ",".join(map(str, session.spec.ports)),
    }
    return found | ({"GPUQUOTA_SIMULATED": "1"} if placement.simulated else {})


def _total(slices: Sequence[Slice]) -> int:
    return sum(piece.memory for piece in slices)
