"""A table of versions with buttons."""

from __future__ import annotations

from typing import Any

from ipywidgets import Button, Dropdown, HBox

from ...client import Client
from ...errors import NotFound
from ...model.datasets.datasets import Dataset
from ...model.datasets.jobs import Job
from ...model.datasets.versions import Version
from ...model.struct import Page
from ..views.data.caches import pin_text
from ..views.data.datasets import DatasetsView
from ..views.data.files import DiffView
from ..views.data.formats import short, size_text
from ..views.data.versions import VersionsView
from ..views.markup import tag
from ..views.view import View
from .live import LiveWidget

_NONE: Page[Version] = Page(items=(), total=0, revision="")


class DatasetsWidget(LiveWidget):
    """The versions of a dataset, with buttons that act on the selected one.

    Without a `name`, one of the caller's datasets is selected in the widget.
    """

    noun = "datasets"

    def __init__(self, name: str = "", client: Client | None = None) -> None:
        self._dataset = Dropdown(description="Dataset", options=())
        self._version = Dropdown(description="Version", options=())
        self._wanted = name
        super().__init__(client)
        table, buttons, status = self.children
        self._buttons = self._verbs()
        self._enable()
        self._dataset.observe(self._switch, "value")
        self._version.observe(self._enable, "value")
        self.children = (
            self._dataset,
            table,
            self._version,
            HBox(self._buttons),
            buttons,
            status,
        )

    def read(self) -> View[Any]:
        """Return the versions of the selected dataset, and offer them for selection."""
        found = self._client.datasets.list()
        self._offer(self._dataset, [(each.name, each.name) for each in found], self._wanted)
        name = self._dataset.value or self._first(found)
        page = self._client.datasets.versions(name).document if name else _NONE
        self._offer(self._version, [(_label(each), each.id) for each in page.items], "")
        return VersionsView(page, name) if name else DatasetsView(found.document)

    def _first(self, found: Any) -> str:
        """Select the first dataset where none is selected."""
        if self._wanted or not found:
            return self._wanted
        first: Dataset = found[0]
        self._dataset.value = first.name
        return first.name

    @staticmethod
    def _offer(choice: Dropdown, options: list[tuple[str, str]], wanted: str) -> None:
        """Offer options, and never select another one than the user did."""
        chosen = choice.value or wanted
        choice.options = options
        choice.value = chosen if chosen in {value for _, value in options} else None

    def _switch(self, _change: object) -> None:
        if self._dataset.value not in (None, self._wanted):
            self._wanted = self._dataset.value
            self._version.value = None
            self.refresh()

    def _verbs(self) -> list[Button]:
        return [
            self.button("Cache", self._cache),
            self.button("Clear", self._clear),
            self.button("Pin", self._pin),
            self.button("Unpin", self._unpin),
            self.button("Compare with latest", self._differences),
            self.button("Path", self._path),
        ]

    def _enable(self, _change: object = None) -> None:
        """Enable the buttons while a version is selected."""
        for button in self._buttons:
            button.disabled = self._version.value is None

    def _chosen(self) -> str:
        if not self._version.value:
            raise NotFound("No version selected.", hint="Select one. Refresh updates the list.")
        return f"{self._dataset.value or self._wanted}@{self._version.value}"

    def _cache(self) -> None:
        """Start to fetch the version; the kernel does not wait for it."""
        found = self._client.datasets.cache(self._chosen(), wait=False)
        self.refresh()
        there = "Fetching. Refresh shows its progress."
        if not isinstance(found, Job):
            there = f"Cached: {size_text(found.size)}."
        self.say(tag("p", there))

    def _clear(self) -> None:
        self._client.datasets.uncache(self._chosen())
        self.refresh()
        self.say(tag("p", "Cleared the cached copy."))

    def _pin(self) -> None:
        found = self._client.datasets.pin(self._chosen())
        self.say(tag("p", f"Pinned by {', '.join(map(pin_text, found.pins))}."))

    def _unpin(self) -> None:
        self._client.datasets.unpin(self._chosen())
        self.say(tag("p", "Removed your pin."))

    def _differences(self) -> None:
        name = self._chosen()
        self.say(DiffView(self._client.datasets.diff(name).document).html)

    def _path(self) -> None:
        self.say(tag("pre", str(self._client.datasets.path(self._chosen()))))


def _label(version: Version) -> str:
    name = " ".join((short(version.id), ", ".join(version.tags))).rstrip()
    return f"{name}: {version.message}" if version.message else name
