"""One session, with all that is known of it."""

from __future__ import annotations

from datetime import UTC, datetime

from ...model.base import Page
from ...model.policy import SessionPolicy
from ...model.resources import memory_text
from ...model.sessions import Session
from .base import Row, View, pairs_html, pairs_text
from .environments import origin
from .idle import idle_text, life_text, policy_text
from .markup import Markup, join, printable, tag
from .sessions import SessionsView, anchor, href_of, isolation_text, outcome


class SessionView(View[Session]):
    """Show all that is known of one session.

    `size` says whether its share is the right one, `policy` what is done when it is idle.
    """

    def __init__(
        self,
        data: Session,
        *,
        note: str = "",
        size: str = "",
        policy: SessionPolicy | None = None,
        exit_code: int = 0,
    ) -> None:
        super().__init__(data, exit_code=exit_code)
        self._note = note
        self._pairs = _pairs(data, size, policy)

    @property
    def failure(self) -> str:
        """What went wrong with it, empty if nothing did."""
        return outcome(self.data)

    @property
    def text(self) -> str:
        """Return lines of what is known."""
        lines = [pairs_text(self._pairs)]
        lines += [printable(f"  {p.at:%H:%M:%S}  {p.message}") for p in self.data.progress]
        if self.data.exit and self.data.exit.last_lines:
            lines += [
                "last lines of its log:",
                *(printable(f"  {x}") for x in self.data.exit.last_lines),
            ]
        return "\n".join([*lines, *([printable(self._note)] if self._note else [])])

    @property
    def body(self) -> Markup:
        """Return the same, with a link."""
        parts = [pairs_html(self._pairs, self.data.spec.name)]
        href = href_of(self.data)
        if href:
            parts.append(tag("p", anchor(href, f"Open {self.data.spec.name}")))
        if self.data.progress:
            steps = (tag("li", f"{p.at:%H:%M:%S} {p.message}") for p in self.data.progress)
            summary = tag("summary", "How it started")
            parts.append(tag("details", summary, tag("ul", *steps)))
        if self.data.exit and self.data.exit.last_lines:
            parts.append(tag("pre", "\n".join(self.data.exit.last_lines)))
        return join(*parts, *([tag("p", self._note)] if self._note and not href else []))

    @property
    def records(self) -> list[Row]:
        """Return the one row."""
        page = Page(items=(self.data,), total=1, revision=self.data.revision)
        return SessionsView(page, {}).records


def _pairs(s: Session, size: str, policy: SessionPolicy | None) -> list[tuple[str, str]]:
    spec, place, used = s.spec, s.placement, s.usage
    memory = sum(piece.memory for piece in place.slices) if place else 0
    reason = f"{s.reason.message} {s.reason.hint}".strip() if s.reason else ""
    # Whoever may not see the request is not told its folder, nor what it runs.
    command = " ".join((*spec.command, *spec.args)) or ("Jupyter Server" if spec.folder else "")
    usage = memory_text(used.memory) if used and used.memory is not None else ""
    return [
        ("name", spec.name),
        ("status", s.state),
        ("reason", reason),
        ("activity", idle_text(s, datetime.now(UTC))),
        ("longest life", life_text(s, datetime.now(UTC))),
        ("in line", f"number {s.place_in_line} of {spec.project}" if s.place_in_line else ""),
        ("reclaimed", _reclaimed_text(s)),
        ("project", spec.project),
        ("user", s.owner),
        ("type", spec.kind),
        ("share", spec.share.text),
        ("placed on", place.text if place else ""),
        ("GPU memory", memory_text(memory) if memory else ""),
        ("in use", f"{usage} (over its share)" if used and used.over else usage),
        ("right size", size),
        ("isolation", isolation_text(s.isolation) if s.isolation else ""),
        ("environment", origin(spec.environment, spec.image)),
        ("folder", spec.folder),
        ("command", command),
        ("variables", ", ".join(spec.env)),
        ("ports", ", ".join(map(str, spec.ports))),
        ("priority", str(spec.priority)),
        ("idle policy", policy_text(policy, spec.kind) if policy else ""),
        ("created", _time_text(s.created)),
        ("started", _time_text(s.started)),
        ("ended", _time_text(s.ended)),
        ("exit", _exit_text(s)),
        ("address", href_of(s)),
        ("id", s.id),
    ]


def _time_text(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S %Z}" if at else ""


def _reclaimed_text(session: Session) -> str:
    """When and for whom a session last gave back its GPUs, as far as that is told."""
    if not (last := session.reclaimed):
        return ""
    return f"{_time_text(last.at)}, for {last.name or 'a session'} of {last.project}"


def _exit_text(session: Session) -> str:
    if not session.exit:
        return ""
    code = session.exit.code
    text = "nobody could see its exit code" if code is None else f"code {code}"
    return f"{text} ({session.exit.signal})" if session.exit.signal else text
