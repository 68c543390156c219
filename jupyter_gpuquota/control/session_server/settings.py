"""Options, configuration and variables of a session's Jupyter Server. Pure."""

from __future__ import annotations

from pathlib import Path

from ...core import tracking
from ...model.addresses import address_of
from ...model.sessions import Session

_DEFAULT_PORT = 8888
SERVER_CONFIG = str(Path(__file__).parent / "config")
"""The folder with the configuration of every session's Jupyter Server."""


def socket_flags(folder: str) -> dict[str, object]:
    """Return the options by which a server listens on a unix socket in a folder.

    A server with a socket exits if its configuration has another port than the default.
    """
    return {"sock": f"{folder}/server", "sock_mode": "0600", "port": _DEFAULT_PORT}


def server_flags(session: Session, **own: object) -> tuple[str, ...]:
    """Return the options of a session's server; `own` are the backend's.

    They hold no secrets: everyone who sees the session's processes can read them.
    """
    options = {
        **own,
        "base_url": address_of(session),
        "root_dir": session.spec.folder,
        "open_browser": False,
        "shutdown_no_activity_timeout": 0,
    }
    return tuple(f"--ServerApp.{name}={value}" for name, value in options.items())


def server_config(
    session: Session, token: str, *, debugger: bool = True
) -> dict[str, dict[str, object]]:
    """Return a server's own configuration, which overrides that of its environment.

    It is first on Jupyter's configuration path rather than on the command line, which others can
    read. Without it, a configuration that disables the token would open the session to everyone
    who reaches its port. Where the server has identity providers, the one in `SERVER_CONFIG`
    replaces others, and keeps the token out of pages.

    JupyterLab opens a workspace with the session's name. Of all pages of one origin, whatever
    their base URL, it lets only one use the workspace `default`, and renames it for the others.

    Pages have no *Shut Down*, which would end the session before pages could save. Without
    `debugger`, ipykernel has none: it listens on a port, and asks for no password.
    """
    protection = {"token": token, "certfile": "", "keyfile": "", "client_ca": ""}
    return {
        "ServerApp": {**protection, "quit_button": False},
        "IdentityProvider": {"token": token},
        "LabApp": {"default_url": f"/lab/workspaces/{session.spec.name}"},
        "SessionKernels": {"debugger": debugger},
    }


def session_facts(session: Session) -> dict[str, str]:
    """Return the environment variables that tell programs about their session."""
    spec = session.spec
    return {
        "GPUQUOTA_SESSION": session.id,
        "GPUQUOTA_NAME": spec.name,
        "GPUQUOTA_PROJECT": spec.project,
        "GPUQUOTA_SHARE": spec.share.text,
        "GPUQUOTA_PORTS": ",".join(map(str, spec.ports)),
        **tracking.context(session),
    }
