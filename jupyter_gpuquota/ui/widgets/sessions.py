"""A table of sessions with buttons."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ipywidgets import Button, Dropdown, HBox

from ...client import Client
from ...errors import NotFound
from ..views.idle import KeptView
from ..views.markup import tag
from ..views.sessions import SessionsView, anchor, href_of, outcome
from ..views.texts import LogView
from .live import LiveWidget

_LINES = 100


class SessionsWidget(LiveWidget):
    """Sessions, with buttons that act on the selected one."""

    noun = "sessions"

    def __init__(self, client: Client | None = None, *, project: str = "") -> None:
        self._choice = Dropdown(description="Session", options=())
        super().__init__(client, project=project)
        table, buttons, status = self.children
        # The table is live; the choices are the kernel's, and change with Refresh only.
        self._buttons = self._verbs()
        self._enable()
        self._choice.observe(self._enable, "value")
        self.children = (table, self._choice, HBox(self._buttons), buttons, status)

    def read(self) -> SessionsView:
        """Return the sessions, and offer them for selection."""
        page = self._client.sessions.list(project=self._project).document
        chosen = self._choice.value
        self._choice.options = [(f"{s.spec.project}/{s.spec.name}", s.id) for s in page.items]
        # Never select another session than the user did: the next press could be Delete.
        self._choice.value = chosen if chosen in {s.id for s in page.items} else None
        return SessionsView(page, {}, undivided=self._client.quota.get().document.undivided)

    def _verbs(self) -> list[Button]:
        verbs = self._client.sessions
        return [
            self.button("Open", self._open),
            self.button("Logs", self._logs),
            self.button("Keep alive", self._keep),
            self.button("Suspend", lambda: self._change(verbs.suspend)),
            self.button("Resume", lambda: self._change(verbs.resume)),
            self.button("Stop", lambda: self._change(verbs.stop)),
            self.button("Delete", self._delete),
        ]

    def _enable(self, _change: object = None) -> None:
        """Enable the buttons while a session is selected."""
        for button in self._buttons:
            button.disabled = self._choice.value is None

    def _chosen(self) -> str:
        if not self._choice.value:
            raise NotFound(
                "No session selected.",
                hint="Select one. Refresh updates the list.",
            )
        return str(self._choice.value)

    def _open(self) -> None:
        session = self._client.sessions.get(self._chosen())
        href = href_of(session)
        link = anchor(href, f"Open {session.spec.name}") if href else outcome(session)
        self.say(tag("p", link))

    def _logs(self) -> None:
        self.say(LogView(self._client.sessions.log(self._chosen(), tail=_LINES)).html)

    def _keep(self) -> None:
        kept = self._client.keep_alive(self._chosen())
        self.refresh()
        self.say(tag("p", KeptView(kept, datetime.now(UTC)).text))

    def _change(self, verb: Any) -> None:
        session = verb(self._chosen())
        self.refresh()
        self.say(tag("p", outcome(session)))

    def _delete(self) -> None:
        session = self._client.sessions.get(self._chosen())
        self._client.sessions.delete(session.id)
        self.refresh()
        self.say(tag("p", f"Deleted {session.spec.name}."))
