"""`suspend`, `resume`, `stop` and `delete`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....client import Client
from ....errors import GpuQuotaError
from ....model.sessions import Session
from ....model.struct import Page
from ...arguments import add_sessions, add_wait
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.sessions import ChangedView
from ...views.texts import TextView
from ...waiting import wait

_SAVED = (
    "Open notebooks are saved first. What only kernels and programs have in memory is lost; "
    "files and the log are kept."
)


def _fill_suspend(parser: Parser) -> None:
    add_sessions(parser, "suspend")
    _add_reason(parser)
    add_wait(parser, default=True)


def _fill_resume(parser: Parser) -> None:
    add_sessions(parser, "resume")
    add_wait(parser, default=False)


def _fill_stop(parser: Parser) -> None:
    add_sessions(parser, "stop")
    _add_reason(parser)
    add_wait(parser, default=True)


def _add_reason(parser: Parser) -> None:
    parser.add_argument(
        "-m", "--reason", default="", metavar="WHY", help="shown to the owners, with who gave it"
    )


def _fill_delete(parser: Parser) -> None:
    add_sessions(parser)
    parser.add_argument("--stop", action="store_true", help="stop it first if it is running")


def _suspend(client: Client, args: Args, console: Console) -> ChangedView:
    return _change(client, args, console, partial(client.sessions.suspend, reason=args.reason))


def _resume(client: Client, args: Args, console: Console) -> ChangedView:
    return _change(client, args, console, client.sessions.resume)


def _stop(client: Client, args: Args, console: Console) -> ChangedView:
    return _change(client, args, console, partial(client.sessions.stop, reason=args.reason))


def _delete(client: Client, args: Args, console: Console) -> TextView:
    names = ", ".join(args.names)
    for at, name in enumerate(args.names):
        try:
            client.sessions.delete(name, project=args.project, stop=args.stop)
        except GpuQuotaError:
            if at:
                console.note(f"Deleted {', '.join(args.names[:at])}.")
            raise
    return TextView({"deleted": names}, f"Deleted {names}.")


def _change(
    client: Client, args: Args, console: Console, change: Callable[..., Session]
) -> ChangedView:
    changed: list[Session] = []
    for name in args.names:
        session = change(name, project=args.project)
        changed.append(wait(client, session, console, changed=True) if args.wait else session)
    page = Page(items=tuple(changed), total=len(changed), revision=changed[-1].revision)
    return ChangedView(page, {}, exit_code=int(any(s.state == "failed" for s in changed)))


COMMANDS = (
    Command(
        "suspend",
        "release the GPUs of sessions; resume them later",
        _suspend,
        _fill_suspend,
        notes=f"{_SAVED} `resume` restarts the session with the same name and share.",
        examples=("suspend exp1",),
        section="Sessions",
    ),
    Command(
        "resume",
        "queue suspended or ended sessions again",
        _resume,
        _fill_resume,
        examples=("resume exp1 --wait",),
        section="Sessions",
    ),
    Command(
        "stop",
        "stop sessions",
        _stop,
        _fill_stop,
        notes=_SAVED,
        examples=("stop exp1 exp2", "stop team-b/exp2 -m 'n1 is needed'"),
        section="Sessions",
    ),
    Command(
        "delete",
        "delete ended sessions and their logs",
        _delete,
        _fill_delete,
        examples=("delete exp1", "delete exp1 --stop"),
        section="Sessions",
    ),
)
