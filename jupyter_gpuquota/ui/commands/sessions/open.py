"""`open`: a session in a browser."""

from __future__ import annotations

import argparse
import os

from ....client import Client
from ....client.urls import place_of
from ....errors import NotAllowed, WrongState
from ....model.addresses import address_of
from ....model.sessions import Session
from ...arguments import add_session, whole_number
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.markup import tag
from ...views.sessions import anchor
from ...views.texts import TextView


def _fill(parser: Parser) -> None:
    add_session(parser)
    parser.add_argument(
        "--port", type=whole_number, default=0, help="open this exposed port instead of Jupyter"
    )
    parser.add_argument(
        "--browser",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="open a browser (default: where there is a display)",
    )


def _open(client: Client, args: Args, console: Console) -> TextView:
    """Return the address of a running session, and open a browser where one is visible.

    A notebook gets a link: its browser is not on this machine's display.
    """
    session = client.sessions.get(args.name, project=args.project)
    if session.state != "running":
        why = session.reason.message if session.reason else f"it is {session.state}."
        raise WrongState(
            f"{session.spec.name} is not running: {why}",
            hint=f"See `describe {session.spec.name}`.",
        )
    place = place_of(session.spec, args.port)
    if "open" not in session.actions:
        raise NotAllowed(
            f"Only {session.owner} can open {session.spec.name}.",
            hint=f"`describe {session.spec.name}` shows what you can see.",
        )
    if not console.shell:
        return _link(session, address_of(session, place))
    url = client.sessions.url(session, port=args.port)
    if _has_display() if args.browser is None else args.browser:
        import webbrowser  # noqa: PLC0415 (rarely needed)

        webbrowser.open(url)
    return TextView({"url": url}, url)


def _link(session: Session, href: str) -> TextView:
    link = tag("p", anchor(href, f"Open {session.spec.name}"))
    return TextView({"url": href}, href, html=link)


def _has_display() -> bool:
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


COMMANDS = (
    Command(
        "open",
        "open a session in the browser",
        _open,
        _fill,
        notes="The address belongs to your JupyterLab, which asks you to log in if needed.",
        examples=("open exp1", "open board --port 6006"),
        section="Sessions",
    ),
)
