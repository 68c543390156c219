"""A widget of sessions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ipywidgets import HTML, Button, Dropdown, HBox

from ...client import Client
from ...client import sessions as operations
from ...errors import NotFound
from ...model.sessions import LogChunk
from ..views.idle import KeptView
from ..views.markup import tag
from ..views.sessions import SessionsView, anchor, href_of, outcome
from ..views.texts import LogView
from .live import LiveWidget

_LINES = 100


class SessionsWidget(LiveWidget):
    """Show sessions, and do something with one of them."""

    noun = "sessions"

    def __init__(self, client: Client | None = None, *, project: str = "") -> None:
        self._choice = Dropdown(description="Session", options=())
        super().__init__(client, project=project)
        table, buttons, said = self.children
        # The table is live; a list of choices is the kernel's, which nothing tells of changes.
        hint = HTML(tag("small", "Refresh reads these again."))
        choice, verbs = HBox([self._choice, hint]), HBox(self._verbs())
        self.children = (table, choice, verbs, buttons, said)

    def read(self) -> SessionsView:
        """Read the sessions, and let the user choose among them."""
        page = self._client.run(operations.page(self._client.context, project=self._project))
        chosen = self._choice.value
        self._choice.options = [(f"{s.spec.project}/{s.spec.name}", s.id) for s in page.items]
        # Never another one than the user chose: the next press may be Delete.
        self._choice.value = chosen if chosen in {s.id for s in page.items} else None
        return SessionsView(page, {})

    def _verbs(self) -> list[Button]:
        verbs = self._client.sessions
        return [
            self.button("Open", self._open),
            self.button("Logs", self._logs),
            self.button("Keep alive", self._keep),
            self.button("Suspend", lambda: self._change(verbs.suspend)),
            self.button("Resume", lambda: self._change(verbs.resume)),
            self.button("Stop", lambda: self._change(verbs.stop), button_style="warning"),
            self.button("Delete", self._delete, button_style="danger"),
        ]

    def _chosen(self) -> str:
        if not self._choice.value:
            raise NotFound(
                "No session is chosen.",
                hint="Choose one of the list; Refresh reads the list again.",
            )
        return str(self._choice.value)

    def _open(self) -> None:
        session = self._client.sessions.get(self._chosen())
        href = href_of(session)
        link = anchor(href, f"Open {session.spec.name}") if href else outcome(session)
        self.say(tag("p", link))

    def _logs(self) -> None:
        reading = operations.log(self._client.context, self._chosen(), tail=_LINES)
        chunk: LogChunk = self._client.run(reading)
        self.say(LogView(chunk).html)

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
        self.say(tag("p", f"{session.spec.name} is deleted."))
