"""The details of one session."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ...model.datasets.mounts import DataMount
from ...model.datasets.versions import SHOWN
from ...model.policy import SessionPolicy
from ...model.resources import Placement, memory_text
from ...model.sessions import Progress, Session, SessionSpec
from ...model.struct import Page
from .container import container_pairs
from .environments import origin
from .idle import idle_text, life_text, policy_text
from .markup import Markup, join, printable, tag
from .places import places_text
from .sessions import (
    SessionsView,
    anchor,
    href_of,
    isolation_text,
    kind_text,
    outcome,
    status_text,
)
from .view import Row, View, pairs_html, pairs_text, second_text


class SessionView(View[Session]):
    """The details of a session.

    `size` is the recommended size, `policy` the effective idle policy. `undivided`: one project
    has all GPUs.
    """

    def __init__(
        self,
        data: Session,
        *,
        size: str = "",
        policy: SessionPolicy | None = None,
        undivided: bool = False,
        exit_code: int = 0,
    ) -> None:
        super().__init__(data, exit_code=exit_code)
        pairs = _pairs(data, size, policy)
        self._pairs = [pair for pair in pairs if not (undivided and pair[0] == "project")]

    @property
    def failure(self) -> str:
        """Return what went wrong with it."""
        return outcome(self.data)

    @property
    def text(self) -> str:
        """Return a line for each detail, the progress and what the engine or the log says."""
        lines = [pairs_text(self._pairs), *(["progress:"] if self.data.progress else [])]
        lines += [printable(f"  {_step(each)}") for each in self.data.progress]
        title, quoted = _quoted(self.data)
        lines += [f"{title}:", *(printable(f"  {line}") for line in quoted)] if quoted else []
        return "\n".join(lines)

    @property
    def body(self) -> Markup:
        """Return the same, with a link."""
        parts = [pairs_html(self._pairs, self.data.spec.name)]
        href = href_of(self.data)
        if href:
            parts.append(tag("p", anchor(href, f"Open {self.data.spec.name}")))
        if self.data.progress:
            steps = (tag("li", _step(each)) for each in self.data.progress)
            summary = tag("summary", "Progress")
            parts.append(tag("details", summary, tag("ul", *steps)))
        if quoted := _quoted(self.data)[1]:
            parts.append(tag("pre", "\n".join(quoted)))
        return join(*parts)

    @property
    def records(self) -> list[Row]:
        """Return the one row."""
        page = Page(items=(self.data,), total=1, revision=self.data.revision)
        return SessionsView(page, {}).records


class SubmittedView(SessionView):
    """A session that was just submitted: its state in a line, and what to do `next`."""

    def __init__(self, data: Session, next_: str, *, exit_code: int = 0) -> None:
        super().__init__(data, exit_code=exit_code)
        self._next = next_

    @property
    def text(self) -> str:
        """Return two lines, and the last lines of the log if it has failed."""
        lines = self.data.exit.last_lines if self.data.exit else ()
        shown = [outcome(self.data), *(printable(f"  {line}") for line in lines)]
        return "\n".join([*shown, printable(self._next)])

    @property
    def body(self) -> Markup:
        """Return the same, with a link to a running session."""
        href = href_of(self.data)
        after = anchor(href, f"Open {self.data.spec.name}") if href else self._next
        lines = self.data.exit.last_lines if self.data.exit else ()
        log = tag("pre", "\n".join(lines)) if lines else Markup()
        return join(tag("p", outcome(self.data)), log, tag("p", after))


def _port_pairs(session: Session) -> list[tuple[str, str]]:
    """Return the exposed ports, and those at which every account of the machine can connect."""
    exposed, ports = (", ".join(map(str, p)) for p in (session.spec.ports, session.listening))
    word = "ports" if len(session.listening) > 1 else "port"
    told = f"{word} {ports}: every account of this machine can connect" if ports else ""
    return [("ports", exposed), ("open to others", told)]


def _pairs(s: Session, size: str, policy: SessionPolicy | None) -> list[tuple[str, str]]:
    spec, place, used = s.spec, s.placement, s.usage
    reason = f"{s.reason.message} {s.reason.hint}".strip() if s.reason else ""
    # A caller who may not see the request gets neither its folder nor its command.
    command = " ".join((*spec.command, *spec.args)) or ("Jupyter server" if spec.folder else "")
    usage = memory_text(used.memory) if used and used.memory is not None else ""
    return [
        ("name", spec.name),
        ("status", status_text(s)),
        ("reason", reason),
        ("activity", idle_text(s, datetime.now(UTC))),
        ("ends", life_text(s, datetime.now(UTC))),
        ("preempted", _reclaimed_text(s)),
        ("places", places_text(s.fallback)),
        ("project", spec.project),
        ("user", s.owner),
        ("kind", kind_text(s)),
        ("share", _share_text(spec)),
        ("runs on", place.text if place else ""),
        ("GPU memory", _memory_text(place)),
        ("memory used", f"{usage} (over its share)" if used and used.over else usage),
        ("recommended size", size),
        ("isolation", isolation_text(s.isolation) if s.isolation else ""),
        ("environment", origin(spec.environment, spec.image)),
        ("folder", spec.folder),
        ("command", command),
        ("variables", ", ".join(spec.env)),
        *_port_pairs(s),
        ("datasets", ", ".join(map(_dataset_text, spec.data))),
        *container_pairs(spec.pod, spec.mounts),
        ("node group", spec.node_type),
        ("priority", str(spec.priority)),
        ("idle policy", policy_text(policy, spec.kind) if policy else ""),
        ("submitted", _time_text(s.created)),
        ("started", _time_text(s.started)),
        ("ended", _time_text(s.ended)),
        ("exit", _exit_text(s)),
        ("address", href_of(s)),
        ("id", s.id),
    ]


def _memory_text(place: Placement | None) -> str:
    memory = sum(piece.memory for piece in place.slices) if place else 0
    return memory_text(memory) if memory else ""


def _share_text(spec: SessionSpec) -> str:
    """Return the share, and how many processes have it each."""
    several = f", for each of {spec.processes} processes" if spec.processes > 1 else ""
    return f"{spec.share.text}{several}"


def _dataset_text(mount: DataMount) -> str:
    """Return a version, by what it was called at the launch and by its id, and its path."""
    text = f"{mount.dataset}@{mount.ref} ({mount.version[:SHOWN]})"
    return f"{text} at {mount.path}" if mount.path else text


def _quoted(session: Session) -> tuple[str, Sequence[str]]:
    """Return the end of the log, or else what the engine says of a session, with a title."""
    if session.exit:
        return "last lines of the log", session.exit.last_lines
    return "as reported", session.reason.raw.splitlines() if session.reason else ()


def _step(progress: Progress) -> str:
    return f"{progress.at.astimezone():%H:%M:%S %Z}  {progress.message}"


def _time_text(at: datetime | None) -> str:
    return second_text(at) if at else ""


def _reclaimed_text(session: Session) -> str:
    """Return when and for whom a session was last preempted, if the caller may know."""
    if not (last := session.reclaimed):
        return ""
    return f"{_time_text(last.at)}, for {last.name or 'a session'} ({last.project})"


def _exit_text(session: Session) -> str:
    if not session.exit:
        return ""
    code = session.exit.code
    text = "unknown exit code" if code is None else f"code {code}"
    return f"{text} ({session.exit.signal})" if session.exit.signal else text
