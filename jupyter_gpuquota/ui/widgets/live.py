"""Elements that JupyterLab keeps live in the browser, and widgets around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from ipywidgets import HTML, Button, HBox, VBox

from ...client import Client
from ...errors import GpuQuotaError
from ..views.base import View
from ..views.markup import Markup, join, tag

Noun = Literal["quota", "sessions", "nodes"]


def live(noun: Noun, fallback: Markup, *, project: str = "", session: str = "") -> Markup:
    """Return an element that our front end replaces with live state.

    Where it is not installed (or the page is elsewhere) the fallback stays.
    """
    return tag(
        "gpuquota-live", fallback, noun=noun, project=project or None, session=session or None
    )


class LiveWidget(VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """Show a noun, live in JupyterLab; elsewhere as it was when the button was last pressed."""

    noun: Noun

    def __init__(self, client: Client | None = None, *, project: str = "") -> None:
        super().__init__()
        self._client = client or Client()
        self._project = project
        self._table = HTML()
        self._said = HTML()
        refresh = self.button("Refresh", self.refresh)
        self.children: tuple[Any, ...] = (self._table, HBox([refresh]), self._said)
        self.refresh()

    def refresh(self) -> None:
        """Read the state again."""
        with self.saying():
            fallback = self.read().html
            self._table.value = live(self.noun, fallback, project=self._project)

    def read(self) -> View[Any]:
        """Return the view that is shown where nothing keeps it live."""
        raise NotImplementedError

    def button(self, label: str, act: Callable[[], None], **traits: Any) -> Button:
        """Return a button that acts; what goes wrong is said below the table."""
        made = Button(description=label, **traits)

        def press(_: object) -> None:
            with self.saying():
                act()

        made.on_click(press)
        return made

    def say(self, html: Markup) -> None:
        """Show something below the table."""
        self._said.value = html

    @contextmanager
    def saying(self) -> Iterator[None]:
        """Show an error below the table instead of raising it, and forget the one before."""
        self.say(Markup())
        try:
            yield
        except GpuQuotaError as error:
            self.say(error_html(error))


def error_html(error: GpuQuotaError) -> Markup:
    """Return an error as an alert for people."""
    lines = str(error).splitlines()
    told = join(*(tag("div", line) for line in lines))
    return tag("div", told, role="alert", style="color: var(--jp-error-color1, #b71c1c)")
