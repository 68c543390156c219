"""The variables of a notebook, by their names."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from typing import Any

from ....client import Client
from ....client.snapshots.variables import Dump, load, new_file
from ....client.variables import near
from ....errors import FieldError, WrongState, refuse, refused
from ....kernels.cells.notebook import this_notebook
from ....kernels.session_server import SessionServer
from ....model.sessions import Session
from ....variables import SESSION
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.texts import TextView
from ...views.view import View


def namespace() -> dict[str, Any] | None:
    """Return the variables of the notebook in which the command runs, None outside of one."""
    shell = _shell()
    return shell.user_ns if shell else None


def hidden() -> Collection[str]:
    """Return the names in it that are IPython's own."""
    shell = _shell()
    return shell.user_ns_hidden if shell else ()


def _shell() -> Any:
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def names_of(text: str) -> list[str]:
    """Return the names in a list with commas."""
    return [name for name in map(str.strip, text.split(",")) if name]


def variables_of(
    client: Client, session: str, wanted: list[str], notebook: str
) -> Mapping[str, Any] | Dump:
    """Return the named variables of this notebook, or those of a session's kernel.

    Raises InvalidFields for those that there are not, and what asking the kernel raises.
    """
    if not wanted:
        return {}
    if session and (named := client.sessions.get(session)).id != os.environ.get(SESSION):
        return _dumped(client, named, wanted, notebook)
    own = namespace()
    if own is None and not client.context.local_files():
        return Dump(tuple(wanted), notebook=notebook)
    if own is None:
        text = "Variables are those of a notebook: name its session, or use %gpu snapshot there."
        raise refused(FieldError("variables", text))
    missing = [name for name in wanted if name not in own]
    if missing:
        raise refused(FieldError("variables", f"There is no {', '.join(missing)} here."))
    return {name: own[name] for name in wanted}


def _dumped(client: Client, session: Session, wanted: list[str], notebook: str) -> Dump:
    """Let a session's kernel write variables for a snapshot; in a pod, the controller asks it."""
    if not client.context.local_files():
        return Dump(tuple(wanted), notebook=notebook)
    from ....kernels.cells.asking import kernel_of, talking  # noqa: PLC0415 (loads zmq)

    folder = session.spec.folder
    server = SessionServer.find(client.context, session.id)
    kernel, _ = kernel_of(server, this_notebook(), folder, notebook, session.spec.name)
    name, path = new_file(folder)
    with talking(kernel) as talk:
        answer = near.ask(talk, do="keep", names=wanted, path=path, partly=True)
    refuse(FieldError("variables", why) for why in answer.get("problems", {}).values())
    return Dump(tuple(wanted), name)


def _fill_load(parser: Parser) -> None:
    parser.add_argument("names", nargs="?", default="", metavar="X,Y", help="default: all")


def _load(_client: Client, args: Args, _console: Console) -> View[Any]:
    own = namespace()
    if own is None:
        raise WrongState(
            "Variables are loaded into a notebook.", hint="Use %gpu snapshot load in one."
        )
    found, wanted = load(), names_of(args.names)
    refuse(FieldError("names", f"{n} was not restored.") for n in wanted if n not in found)
    taken = {name: value for name, value in found.items() if not wanted or name in wanted}
    own.update(taken)
    return TextView({"variables": ",".join(taken)}, f"Loaded {', '.join(taken)}.")


LOAD = Command(
    "load",
    "load variables that were restored with this session's folder",
    _load,
    _fill_load,
    notes="For notebooks of a session that was made by `snapshot restore --variables`, or that was "
    "resized with --keep. They are pickles, which are code: only one's own are loaded.",
    examples=("snapshot load", "snapshot load weights,history"),
)
