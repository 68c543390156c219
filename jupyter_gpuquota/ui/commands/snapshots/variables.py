"""The variables of a notebook, by their names."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from ....client import Client
from ....client.snapshots.variables import Dump, load
from ....environ import SESSION
from ....errors import FieldError, WrongState, refuse, refused
from ....kernels.cells.notebook import this_notebook
from ....kernels.session_server import SessionServer
from ....model.sessions import Session
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.texts import TextView
from ...views.view import View


def namespace() -> dict[str, Any] | None:
    """Return the variables of the notebook in which the command runs, None outside of one."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell.user_ns if shell else None


def names_of(text: str) -> list[str]:
    """Return the names in a list with commas."""
    return [name for name in map(str.strip, text.split(",")) if name]


def notebook_of(client: Client, session: Session, wanted: str) -> str:
    """Return whose variables of a session are meant, empty for the only kernel there.

    It is the named notebook, else the cells of this one, if they have a kernel there. Raises
    Unavailable.
    """
    if wanted or "IPython" not in sys.modules:
        return wanted
    server = SessionServer.find(client.context, session.id)
    own = this_notebook().path_in(session.spec.folder if server.endpoint.runtime else "")
    return own if any(each.path == own for each in server.sessions()) else ""


def variables_of(
    client: Client, session: str, wanted: list[str], notebook: str
) -> Mapping[str, Any] | Dump:
    """Return the named variables of this notebook, or that those of a session's kernel are meant.

    Raises InvalidFields for those that this notebook does not have, Unavailable.
    """
    if not wanted:
        return {}
    if session and (named := client.sessions.get(session)).id != os.environ.get(SESSION):
        return Dump(tuple(wanted), notebook=notebook_of(client, named, notebook))
    own = namespace()
    if own is None:
        return Dump(tuple(wanted), notebook=notebook)
    missing = [name for name in wanted if name not in own]
    if missing:
        raise refused(FieldError("variables", f"There is no {', '.join(missing)} here."))
    return {name: own[name] for name in wanted}


def _fill_load(parser: Parser) -> None:
    parser.add_argument("names", nargs="?", default="", metavar="X,Y", help="default: all")


def _load(_client: Client, args: Args, _console: Console) -> View[Any]:
    own = namespace()
    if own is None:
        raise WrongState(
            "Variables are loaded into a notebook.", hint="Use %gpu snapshot load in one."
        )
    (found, problems), wanted = load(), names_of(args.names)
    refuse(
        FieldError("names", f"{name} was not restored.")
        for name in wanted
        if name not in {**found, **problems}
    )
    taken = {name: value for name, value in found.items() if not wanted or name in wanted}
    own.update(taken)
    unread = {name: why for name, why in problems.items() if not wanted or name in wanted}
    said = [f"Loaded {', '.join(taken)}."] if taken else []
    said += [f"{name} cannot be read here: {why}." for name, why in unread.items()]
    return TextView({"variables": ",".join(taken)}, "\n".join(said))


LOAD = Command(
    "load",
    "load variables that were restored with this session's folder",
    _load,
    _fill_load,
    notes="For notebooks of a session that was made by `snapshot restore --variables`, or that was "
    "resized with --keep. They are pickles, which are code: only one's own are loaded.",
    examples=("snapshot load", "snapshot load weights,history"),
)
