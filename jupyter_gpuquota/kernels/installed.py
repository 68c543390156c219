"""The kernelspecs of a client's user: which are wanted, and where they are."""

from __future__ import annotations

import sys
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

from ..client import Client
from ..client.connection.transport import SocketTransport
from ..environ import TOKEN_FILE, URL
from ..errors import NotFound, Unsupported
from ..hosting import remote
from .spec_files import SpecFiles
from .specs import Spec, memory_of, of_sessions, of_templates


def files_of(client: Client) -> SpecFiles:
    """Return the kernelspecs of this account on this machine, for the client's controller.

    Raises Unsupported for a server that was given by URL and token: no token is written down.
    """
    transport = client.context.transport()
    if isinstance(transport, SocketTransport):
        environment = transport.location.environment
    elif found := remote.in_environment():
        environment = found.environment
    else:
        raise Unsupported(
            "A kernel finds its controller by the environment, not by a URL and a token.",
            hint=f"Set {URL} and {TOKEN_FILE}, or run this in a terminal of that JupyterLab.",
        )
    return SpecFiles(Path(jupyter_data_dir(), "kernels"), sys.executable, environment)


def wanted(client: Client) -> list[Spec]:
    """Return a kernelspec for each session and each template in which notebooks can run."""
    user, memory = client.about().user, memory_of(client.nodes.list().document)
    templates = of_templates(client.templates.list(), memory)
    return [*of_sessions(client.sessions.list(), user), *templates]


def install(client: Client, name: str = "") -> list[Spec]:
    """Install all that are wanted, or only that with a name; return them.

    A name is that of a session, a template or a kernel. Raises NotFound, StorageFailed.
    """
    files, specs = files_of(client), wanted(client)
    if not name:
        files.sync(specs)
        return specs
    chosen = [spec for spec in specs if name in spec.names]
    if not chosen:
        raise NotFound(
            f"No session or template of yours is called {name!r}.",
            hint="List them: `jupyter gpu list`, `jupyter gpu template list`.",
        )
    return [files.install(spec) for spec in chosen]


def remove(client: Client, name: str = "") -> list[str]:
    """Remove all, or only that with a name; return their names. Raises NotFound, StorageFailed."""
    files = files_of(client)
    found = files.installed()
    names = [each for each in found if not name or name in {each, each.removeprefix("gpu-")}]
    if name and not names:
        raise NotFound(
            f"There is no kernel {name!r}.", hint="List them: `jupyter gpu kernel list`."
        )
    return [each for each in names if files.remove(each)]
