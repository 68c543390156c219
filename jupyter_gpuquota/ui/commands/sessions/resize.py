"""`resize`: another share for a session."""

from __future__ import annotations

from typing import Any

from ....client import Client
from ....errors import InvalidRequest
from ....model.resources import gpus_text
from ....model.sessions import Session
from ....model.struct import Page
from ...arguments import add_dry_run, add_session, add_share, add_wait
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.sessions import ChangedView
from ...views.texts import TextView
from ...views.view import View
from ...waiting import wait
from ..snapshots.variables import names_of
from .keeping import kept, losses

_NOTHING = "No kernel would lose its memory."


def _fill(parser: Parser) -> None:
    add_session(parser)
    add_share(parser.add_argument_group("new share (default: the recommended one)"))
    parser.add_argument(
        "--keep", default="", metavar="X,Y", help="variables of the notebook to keep"
    )
    parser.add_argument(
        "--notebook", default="", metavar="PATH", help="whose variables (default: this one's)"
    )
    parser.add_argument(
        "-v",
        "--volume",
        dest="volumes",
        action="append",
        default=[],
        metavar="NAME:/PATH[:ro]",
        help="volume to mount besides those that it has; can be repeated",
    )
    add_dry_run(parser)
    add_wait(parser, default=False)


def _resize(client: Client, args: Args, console: Console) -> View[Any]:
    asked = _named(args)
    if not asked:
        asked = _recommended(client, args.name, args.project)
    session: Session = client.sessions.get(args.name, project=args.project)
    names = names_of(args.keep)
    lost = losses(client, session) if session.state == "running" else []
    if args.dry_run:
        return TextView({"lost": " ".join(lost)}, "\n".join(lost) or _NOTHING)
    for line in lost:
        console.note(line)
    with kept(client, session, names, args.notebook, console) as wishes:
        session = client.sessions.resize(session.id, **asked, **wishes)
    if args.wait or wishes:  # else the next cell could run in the old kernel, and be lost with it
        session = wait(client, session, console, changed=True)
    page = Page(items=(session,), total=1, revision=session.revision)
    return ChangedView(page, {}, exit_code=int(session.state == "failed"))


def _named(args: Args) -> dict[str, Any]:
    fields = ("gpu", "gpu_memory", "gpu_compute", "mig_profile", "volumes")
    return {field: getattr(args, field) for field in fields if getattr(args, field)}


def _recommended(client: Client, name: str, project: str) -> dict[str, Any]:
    advice = client.sessions.advice(name, project=project)
    if advice.share is None:
        raise InvalidRequest(
            f"No other share is recommended: {advice.message}",
            hint="Choose a share, for example `-g 0.25`.",
        )
    share = advice.share
    fields = {
        "gpu": gpus_text(share.milli) if share.milli else "",
        "gpu_memory": str(share.memory or ""),
        "gpu_compute": str(share.compute or ""),
        "mig_profile": share.mig,
    }
    return {field: value for field, value in fields.items() if value}


COMMANDS = (
    Command(
        "resize",
        "restart a session with another share, or with more volumes",
        _resize,
        _fill,
        notes="A running session is stopped and queued again with its new share. Open notebooks "
        "are saved first; kernel memory is lost, except variables to keep: with them it waits "
        "until the session runs again. Without a share or volume it takes the share that "
        "`describe` recommends.",
        examples=(
            "resize exp1",
            "resize exp1 -g 0.25 --wait",
            "resize exp1 -g 1 --keep weights,history",
            "resize exp1 -v notes:/work/notes",
        ),
        section="Sessions",
    ),
)
