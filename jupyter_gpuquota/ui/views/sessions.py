"""Tables and lines of sessions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import PurePath

from ...client.session import SESSIONS, isolation_short
from ...client.urls import place_of
from ...model.addresses import address_of
from ...model.reasons import Reason
from ...model.resources import Isolation, gpus_text
from ...model.sessions import Kind, Session
from ...model.struct import Page
from ..hints import in_notebook
from .idle import coming_text
from .markup import Markup, join, printable, tag
from .view import Column, Row, View, html_table, span_text, text_table

KINDS: Mapping[Kind, str] = {
    "interactive": "Interactive",
    "interactive-spot": "Interactive (spot)",
    "train": "Training",
}
"""The kinds of sessions, as the launch forms call them."""

_WITH_REASON = ("waiting", "starting", "failed")


class SessionsView(View[tuple[Session, ...]]):
    """Sessions; `urls` maps ids of running ones to their addresses.

    `filtered` means that only some sessions were requested, `undivided` that one project has all
    GPUs.
    """

    def __init__(
        self,
        page: Page[Session],
        urls: Mapping[str, str],
        *,
        filtered: bool = False,
        undivided: bool = False,
        exit_code: int = 0,
    ) -> None:
        super().__init__(page.items, exit_code=exit_code)
        self._undivided = undivided
        self._none = "No matching sessions." if filtered else "No sessions."
        self._page = page
        self._urls = urls
        self._now = datetime.now(UTC)

    @property
    def document(self) -> Page[Session]:
        """Return the page, as REST does."""
        return self._page

    @property
    def text(self) -> str:
        """Return a table, then reasons and remarks, and the URLs that the table has no room for."""
        if not self.data:
            return self._none
        why = [f"{s.spec.name}: {r.message}" for s, r in self._reasons]
        why += [f"{s.spec.name}: {remark}" for s, remark in self._idle]
        urls = [f"{s.spec.name}: {self._urls[s.id]}" for s in self.data if s.id in self._urls]
        below = [printable(line) for block in (why, urls) if block for line in ("", *block)]
        return "\n".join([text_table(self._columns(), self.data), *below])

    @property
    def body(self) -> Markup:
        """Return a table with a link for each running session."""
        if not self.data:
            return tag("p", self._none)
        why = (
            tag("p", tag("b", s.spec.name), f": {r.message} {in_notebook(r.hint)}")
            for s, r in self._reasons
        )
        idle = (tag("p", tag("b", s.spec.name), f": {remark}") for s, remark in self._idle)
        links = Column("URL", lambda s: self._urls.get(s.id, ""), link)
        table = html_table([*self._columns(), links], self.data, "Sessions")
        return join(table, *why, *idle)

    @property
    def records(self) -> list[Row]:
        """Return a row for each session; GPUs are numbers, times have a time zone."""
        return SESSIONS.rows(self.data)

    @property
    def _reasons(self) -> list[tuple[Session, Reason]]:
        return [
            (session, why)
            for session in self.data
            if (why := session.reason) and (session.state in _WITH_REASON or why.by_another)
        ]

    @property
    def _idle(self) -> list[tuple[Session, str]]:
        remarks = [(s, coming_text(s, self._now)) for s in self.data]
        return [(session, remark) for session, remark in remarks if remark]

    def _columns(self) -> list[Column[Session]]:
        simulated = {s.simulated for s in self.data if s.placement} == {True}
        columns: list[Column[Session]] = [
            Column("NAME", lambda s: s.spec.name, whole=True),
            Column("STATUS", status_text),
            Column("AGE", lambda s: span_text(s.created, self._now)),
            Column("NODE", lambda s: s.placement.node if s.placement else "", whole=True),
            Column("ENVIRONMENT", lambda s: PurePath(s.spec.image or s.spec.environment).name),
            Column("KIND", kind_text),
            Column("PROJECT", lambda s: s.spec.project, whole=True),
            Column("USER", lambda s: s.owner, whole=True),
            Column("GPUs (simulated)", gpus_of) if simulated else Column("GPUs", _marked_gpus),
            Column("ISOLATION", lambda s: isolation_short(s.isolation) if s.isolation else ""),
        ]
        return [c for c in columns if not (self._undivided and c.heading == "PROJECT")]


class ChangedView(SessionsView):
    """Sessions after a change."""

    @property
    def failure(self) -> str:
        """Return what went wrong with them."""
        return self.text

    @property
    def text(self) -> str:
        """Return a line for each session."""
        return "\n".join(outcome(session) for session in self.data)


def outcome(session: Session) -> str:
    """Return the state of a session, with its place or reason, as one line."""
    state = " failed" if session.state == "failed" else f" is {status_text(session)}"
    reason = f": {session.reason.message}" if session.reason else ""
    if reason and session.state in ("suspended", "stopped"):
        state = ""  # the reason says so: "Suspended on request."
    place = (
        f" on {session.placement.text}" if session.state == "running" and session.placement else ""
    )
    return printable(f"{session.spec.name}{state}{place}{reason or '.'}")


def status_text(session: Session) -> str:
    """Return the state of a session; for a queued one with its position: `queued (#2)`."""
    if session.state != "waiting":
        return session.state
    return f"queued (#{session.queue_position})" if session.queue_position else "queued"


def kind_text(session: Session) -> str:
    """Return the kind of a session; one that a later version knows is shown as it is."""
    return KINDS.get(session.spec.kind, session.spec.kind)


def gpus_of(session: Session) -> str:
    """Return the GPUs that a session holds or requests."""
    held = _held(session)
    return gpus_text(held) if held or not session.spec.share.wants_gpu else session.spec.share.text


def _marked_gpus(session: Session) -> str:
    """Return the same, and whether they are simulated while those of other sessions are real."""
    return f"{gpus_of(session)} (simulated)" if session.simulated else gpus_of(session)


def _held(session: Session) -> int:
    """Return the milli-GPU that a session holds, or else requests for all its processes."""
    spec = session.spec
    return session.placement.milli if session.placement else spec.share.milli * spec.processes


def isolation_text(isolation: Isolation) -> str:
    """Return what enforces a share, and how it can be bypassed."""
    scope = f", per {isolation.scope}" if isolation.scope else ""
    text = f"memory {isolation.memory}, compute {isolation.compute}{scope}."
    bypass = f" Can be bypassed: {'; '.join(isolation.bypass)}." if isolation.bypass else ""
    return f"{text}{bypass} {isolation.note}".strip()


def href_of(session: Session) -> str:
    """Return a session's address below the origin of its JupyterLab if it may be opened, or ""."""
    if "open" not in session.actions:
        return ""
    return address_of(session, place_of(session.spec))


def link(session: Session) -> str:
    """Return a link to a running session."""
    href = href_of(session)
    return anchor(href, "open", label=f"Open {session.spec.name}") if href else ""


def anchor(href: str, text: str, *, label: str | None = None) -> Markup:
    """Return a link that opens in a new tab; other kinds of addresses stay text."""
    if not href.startswith(("/", "http://", "https://")) or href.startswith("//"):
        return join(text)
    return tag("a", text, href=href, target="_blank", rel="noopener", aria_label=label)
