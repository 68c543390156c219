"""Hosts of sessions and their ports, named by a pattern such as `{session}.gpu.example.org`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import InvalidRequest, NotAllowed, WrongState
from ..model.sessions import Session
from .ending import served

SESSION_ID = r"s[a-z2-7]{11}"
"""What ids of sessions look like: only such a label is a session's."""

_PLACEHOLDER = "{session}"
_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_PATTERN = re.compile(
    rf"(?P<before>[a-z0-9][-a-z0-9]*|){{session}}(?P<after>[-a-z0-9]*[a-z0-9]|)"
    rf"(?P<domain>(?:\.{_LABEL})+)(?::(?P<port>[1-9]\d{{0,4}}))?",
    re.ASCII,
)
_LONGEST_LABEL = 63
_LONGEST_SHOWN = len("s23456789abc-65535")
_PORTS = range(1, 65536)


@dataclass(frozen=True, slots=True)
class Place:
    """What a host shows: a session's Jupyter Server (port 0) or another of its ports."""

    session: str
    port: int = 0


@dataclass(frozen=True, slots=True)
class HostPattern:
    """The hosts of all sessions, which differ in one label.

    `port` is the one that browsers use for them; 0 is that of JupyterLab.
    """

    before: str
    after: str
    port: int = 0

    def host_of(self, place: Place, port: int | None) -> str:
        """Return the host of a place, for a browser that reaches JupyterLab at a port."""
        shown = f"{place.session}-{place.port}" if place.port else place.session
        number = self.port or port
        return f"{self.before}{shown}{self.after}" + (f":{number}" if number else "")

    def place_at(self, name: str) -> Place | None:
        """Return what a host name without its port shows; None if it is not a session's."""
        label = rf"(?P<session>{SESSION_ID})(?:-(?P<port>[1-9]\d{{0,4}}))?"
        pattern = re.escape(self.before) + label + re.escape(self.after)
        found = re.fullmatch(pattern, name.lower().removesuffix("."), re.ASCII)
        if not found or (found["port"] and int(found["port"]) not in _PORTS):
            return None
        return Place(found["session"], int(found["port"] or 0))


def parse(text: str) -> HostPattern:
    """Return the pattern of a text. Raises InvalidRequest."""
    text = text.lower()
    if text.count(_PLACEHOLDER) != 1:
        raise _refusal(text, f"It must contain {_PLACEHOLDER} once.")
    if _PLACEHOLDER not in text.partition(".")[0]:
        raise _refusal(
            text, f"{_PLACEHOLDER} must be in the first label: certificates and DNS cover no other."
        )
    found = _PATTERN.fullmatch(text)
    if not found:
        raise _refusal(text, "It must be a host name with at least one dot, without https:// or /.")
    port = int(found["port"] or 0)
    if port and port not in _PORTS:
        raise _refusal(text, "Its port must be at most 65535.")
    if len(found["before"] + found["after"]) + _LONGEST_SHOWN > _LONGEST_LABEL:
        raise _refusal(text, f"Its first label would have more than {_LONGEST_LABEL} letters.")
    return HostPattern(found["before"], found["after"] + found["domain"], port)


def _refusal(text: str, why: str) -> InvalidRequest:
    return InvalidRequest(
        f"{text!r} cannot be the host of sessions. {why}",
        hint="An example: {session}.gpu.example.org",
    )


def check_exposed(session: Session, port: int) -> None:
    """Raise WrongState for a session that is not served, NotAllowed for a port it hides.

    `port` 0 is its Jupyter Server.
    """
    if not served(session):
        raise WrongState(
            f"{session.spec.name} is {session.state}, not running.",
            hint=_why(session) or "Open it when it is running.",
        )
    if port == 0 and not session.spec.serves_jupyter:
        raise NotAllowed(
            f"{session.spec.name} runs {session.spec.command[0]}, not a Jupyter Server.",
            hint="Open one of its exposed ports." if session.spec.ports else "",
        )
    if port and port not in session.spec.ports:
        exposed = ", ".join(map(str, session.spec.ports)) or "none"
        raise NotAllowed(
            f"{session.spec.name} does not expose port {port}.",
            hint=f"Exposed ports: {exposed}. Ports are set at launch.",
        )


def _why(session: Session) -> str:
    """Return why a session is not running, and what to do: its page may still be open."""
    reason = session.reason
    return f"{reason.message} {reason.hint}".strip() if reason else ""
