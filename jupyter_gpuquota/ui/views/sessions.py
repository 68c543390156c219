"""Sessions, as a table and one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from ...client.addresses import place_of
from ...model.base import Page
from ...model.resources import Isolation, gpus_text
from ...model.sessions import Session
from .base import Column, Row, View, html_table, span_text, text_table
from .idle import coming_text
from .markup import Markup, join, printable, tag

_TELLING = ("waiting", "failed")


class SessionsView(View[tuple[Session, ...]]):
    """Show sessions as a table; `urls` tells where those that run are shown.

    `filtered` tells that there may be others, which were not asked for.
    """

    def __init__(
        self,
        page: Page[Session],
        urls: Mapping[str, str],
        *,
        filtered: bool = False,
        exit_code: int = 0,
    ) -> None:
        super().__init__(page.items, exit_code=exit_code)
        self._none = "No session matches." if filtered else "There are no sessions."
        self._page = page
        self._urls = urls
        self._now = datetime.now(UTC)

    @property
    def document(self) -> Page[Session]:
        """Return the page, as REST does."""
        return self._page

    @property
    def text(self) -> str:
        """Return a table, and why some wait or failed."""
        if not self.data:
            return self._none
        why = [printable(f"{s.spec.name}: {s.reason.message}") for s in self._telling if s.reason]
        why += [printable(f"{s.spec.name}: {said}") for s, said in self._idle]
        return "\n".join([text_table(self._columns(), self.data), *([""] if why else []), *why])

    @property
    def body(self) -> Markup:
        """Return a table with a link for each session that runs."""
        if not self.data:
            return tag("p", self._none)
        why = (
            tag("p", tag("b", s.spec.name), f": {s.reason.message} {s.reason.hint}")
            for s in self._telling
            if s.reason
        )
        idle = (tag("p", tag("b", s.spec.name), f": {said}") for s, said in self._idle)
        return join(html_table(self._columns(), self.data, "Sessions"), *why, *idle)

    @property
    def records(self) -> list[Row]:
        """Return a row for each session; GPUs are numbers, times are aware of their zone."""
        return [
            {
                "name": s.spec.name,
                "status": s.state,
                "project": s.spec.project,
                "user": s.owner,
                "type": s.spec.kind,
                "share": s.spec.share.text,
                "gpus": s.placement.milli / 1000 if s.placement else 0.0,
                "simulated": s.simulated,
                "node": s.placement.node if s.placement else "",
                "isolation": isolation_short(s.isolation) if s.isolation else "",
                "environment": s.spec.environment,
                "image": s.spec.image,
                "created": s.created,
                "started": s.started,
                "reason": s.reason.message if s.reason else "",
                "idle_since": s.idle.since if s.idle else None,
                "idle_acts": s.idle.acts if s.idle else None,
                "ends": s.ends,
                "kept_until": s.kept.until if s.kept else None,
                "id": s.id,
            }
            for s in self.data
        ]

    @property
    def _telling(self) -> Sequence[Session]:
        return [s for s in self.data if s.state in _TELLING]

    @property
    def _idle(self) -> list[tuple[Session, str]]:
        told = [(s, coming_text(s, self._now)) for s in self.data]
        return [(session, said) for session, said in told if said]

    def _columns(self) -> list[Column[Session]]:
        return [
            Column("NAME", lambda s: s.spec.name, whole=True),
            Column("STATUS", lambda s: s.state),
            Column("AGE", lambda s: span_text(s.created, self._now)),
            Column("NODE", lambda s: s.placement.node if s.placement else "", whole=True),
            Column("ENVIRONMENT", lambda s: PurePath(s.spec.image or s.spec.environment).name),
            Column("TYPE", lambda s: s.spec.kind),
            Column("PROJECT", lambda s: s.spec.project),
            Column("USER", lambda s: s.owner),
            Column("GPUs", gpus_of),
            Column("ISOLATION", lambda s: isolation_short(s.isolation) if s.isolation else ""),
            Column("URL", lambda s: self._urls.get(s.id, ""), link),
        ]


class ChangedView(SessionsView):
    """Show what became of sessions."""

    @property
    def failure(self) -> str:
        """What went wrong with them, empty if nothing did."""
        return self.text

    @property
    def text(self) -> str:
        """Return a line for each session."""
        return "\n".join(outcome(session) for session in self.data)


def outcome(session: Session) -> str:
    """Say in a line how a session is now, and why."""
    reason = f": {session.reason.message}" if session.reason else ""
    place = (
        f" on {session.placement.text}" if session.state == "running" and session.placement else ""
    )
    return printable(f"{session.spec.name} is {session.state}{place}{reason or '.'}")


def gpus_of(session: Session) -> str:
    """Say what a session holds, or asks for, of GPUs, and whether they are simulated."""
    held = session.placement.milli if session.placement else session.spec.share.milli
    text = gpus_text(held) if held or not session.spec.share.wants_gpu else session.spec.share.text
    return f"{text} (simulated)" if session.simulated and held else text


def isolation_short(isolation: Isolation) -> str:
    """Say what holds a share in a few letters."""
    if isolation.memory == isolation.compute:
        return isolation.memory
    return f"memory {isolation.memory}, compute {isolation.compute}"


def isolation_text(isolation: Isolation) -> str:
    """Say what holds a share, and how it can be bypassed."""
    scope = f", per {isolation.scope}" if isolation.scope else ""
    found = f"memory {isolation.memory}, compute {isolation.compute}{scope}."
    bypass = f" Can be bypassed: {'; '.join(isolation.bypass)}." if isolation.bypass else ""
    return f"{found}{bypass} {isolation.note}".strip()


def href_of(session: Session) -> str:
    """Return a session's address below the origin of its JupyterLab if it may be opened, or ""."""
    if "open" not in session.actions:
        return ""
    return f"{session.spec.base_url}{session.path}{place_of(session.spec)}"


def link(session: Session) -> str:
    """Return a link to a running session."""
    href = href_of(session)
    return anchor(href, "open", label=f"Open {session.spec.name}") if href else ""


def anchor(href: str, text: str, *, label: str | None = None) -> Markup:
    """Return a link that opens in a tab of its own; an address of another kind stays text."""
    if not href.startswith(("/", "http://", "https://")) or href.startswith("//"):
        return join(text)
    return tag("a", text, href=href, target="_blank", rel="noopener", aria_label=label)
