"""Elements that JupyterLab updates in the browser, and widgets around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from ipywidgets import HTML, Button, HBox, VBox

from ...client import Client
from ...errors import GpuQuotaError
from ..views.markup import Markup, join, tag
from ..views.view import View

Noun = Literal["quota", "sessions", "nodes", "datasets", "volumes"]


def live(noun: Noun, fallback: Markup, *, project: str = "", session: str = "") -> Markup:
    """Return an element that our front end replaces with live state.

    The fallback stays where the front end is missing, or outside JupyterLab.
    """
    return tag(
        "gpuquota-live", fallback, noun=noun, project=project or None, session=session or None
    )


class LiveWidget(VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """A table that is live in JupyterLab; elsewhere its button refreshes it."""

    noun: Noun

    def __init__(self, client: Client | None = None, *, project: str = "") -> None:
        super().__init__()
        self._client = client or Client()
        self._project = project
        self._table = HTML()
        self._status = HTML()
        refresh = self.button("Refresh", self.refresh)
        self.children: tuple[Any, ...] = (self._table, HBox([refresh]), self._status)
        self.refresh()

    def refresh(self) -> None:
        """Read the current state."""
        with self.saying():
            fallback = self.read().html
            self._table.value = live(self.noun, fallback, project=self._project)

    def read(self) -> View[Any]:
        """Return the view to show where the table is not live."""
        raise NotImplementedError

    def button(self, label: str, act: Callable[[], None], **traits: Any) -> Button:
        """Return a button that acts; errors appear below the table."""
        made = Button(description=label, **traits)

        def press(_: object) -> None:
            with self.saying():
                act()

        made.on_click(press)
        return made

    def say(self, html: Markup) -> None:
        """Show something below the table."""
        self._status.value = html

    @contextmanager
    def saying(self) -> Iterator[None]:
        """Show an error below the table instead of raising it, and clear the previous one."""
        self.say(Markup())
        try:
            yield
        except GpuQuotaError as error:
            self.say(error_html(error))


def error_html(error: GpuQuotaError) -> Markup:
    """Return an error as an alert."""
    lines = str(error).splitlines()
    text = join(*(tag("div", line) for line in lines))
    return tag("div", text, role="alert", style="color: var(--jp-error-color1, #b71c1c)")
