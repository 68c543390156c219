"""Show a session in a browser."""

from __future__ import annotations

import os

from ..client import Client
from ..client.addresses import place_of
from ..errors import NotAllowed, WrongState
from ..model.sessions import Session
from .grammar import Args
from .screen import Screen
from .views.markup import tag
from .views.sessions import anchor
from .views.texts import TextView


def open_session(client: Client, args: Args, screen: Screen) -> TextView:
    """Tell where a running session is shown, and open a browser there if one can be seen.

    A notebook gets a link: its browser is not on this machine's display.
    """
    session = client.sessions.get(args.name, project=args.project)
    if session.state != "running":
        why = f": {session.reason.message}" if session.reason else "."
        raise WrongState(
            f"{session.spec.name} is {session.state}, not running{why}",
            hint=f"`describe {session.spec.name}` says more.",
        )
    place = place_of(session.spec, args.port)
    if "open" not in session.actions:
        raise NotAllowed(
            f"Only {session.owner} can open {session.spec.name}.",
            hint=f"`describe {session.spec.name}` shows what you may see of it.",
        )
    if not screen.shell:
        return _link(session, f"{session.spec.base_url}{session.path}{place}")
    url = client.sessions.url(session.id, port=args.port)
    wanted = _sees_display() if args.browser is None else args.browser
    if wanted:
        import webbrowser  # noqa: PLC0415 (rarely needed)

        webbrowser.open(url)
    return TextView({"url": url}, url)


def _link(session: Session, href: str) -> TextView:
    link = tag("p", anchor(href, f"Open {session.spec.name}"))
    return TextView({"url": href}, href, html=link)


def _sees_display() -> bool:
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
