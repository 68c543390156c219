"""A table of volumes with buttons."""

from __future__ import annotations

from typing import Any

from ipywidgets import Button, Dropdown, HBox, Text

from ...client import Client
from ...errors import NotFound
from ...model.volumes.volumes import Volume
from ..views.data.formats import size_text
from ..views.markup import tag
from ..views.volumes import VolumesView, VolumeView
from .live import LiveWidget


class VolumesWidget(LiveWidget):
    """Volumes, with buttons that act on the selected one, and fields for a new one."""

    noun = "volumes"

    def __init__(self, client: Client | None = None, *, project: str = "") -> None:
        self._choice = Dropdown(description="Volume", options=())
        self._name = Text(description="New volume", placeholder="scratch")
        self._size = Text(description="Size", placeholder="10Gi")
        self._asked = ""
        super().__init__(client, project=project)
        table, buttons, status = self.children
        self._buttons = self._verbs()
        self._enable()
        self._choice.observe(self._enable, "value")
        self.children = (
            table,
            self._choice,
            HBox([self._name, self._size]),
            HBox([*self._buttons, self.button("Create", self._create)]),
            buttons,
            status,
        )

    def read(self) -> VolumesView:
        """Return the volumes, and offer them for selection."""
        found = self._client.volumes.list(project=self._project).document
        names = [f"{each.project}/{each.name}" for each in found.items]
        chosen = self._choice.value
        self._choice.options = names
        # Never select another volume than the user did: the next press could be Delete.
        self._choice.value = chosen if chosen in names else None
        return VolumesView(found)

    def _verbs(self) -> list[Button]:
        return [
            self.button("Details", self._show),
            self.button("Grow", self._grow),
            self.button("Delete", self._delete),
        ]

    def _enable(self, _change: object = None) -> None:
        """Enable the buttons while a volume is selected."""
        self._asked = ""
        for button in self._buttons:
            button.disabled = self._choice.value is None

    def _chosen(self) -> str:
        if not self._choice.value:
            raise NotFound("No volume selected.", hint="Select one. Refresh updates the list.")
        return str(self._choice.value)

    def _show(self) -> None:
        self.say(VolumeView(self._client.volumes.get(self._chosen())).html)

    def _grow(self) -> None:
        grown = self._client.volumes.grow(self._chosen(), self._size.value)
        self.refresh()
        # A claim has its new size a little later.
        self.say(tag("p", f"{grown.name}: {self._size.value} requested."))

    def _create(self) -> None:
        given: dict[str, Any] = {"size": self._size.value, "project": self._project}
        made = self._client.volumes.create(self._name.value, **given)
        self.refresh()
        size = f" of {size_text(made.size)}" if made.size else ""
        mount = f"-v {made.name}:/{made.name}"
        self.say(tag("p", f"Created {made.name}{size} in {made.project}. To mount it: {mount}."))

    def _delete(self) -> None:
        """Delete the volume when the button is pressed a second time."""
        name = self._chosen()
        if self._asked != name:
            volume = self._client.volumes.get(name)
            self._asked = name
            self.say(tag("p", f"Deletes {name}{_files(volume)}. Press Delete again to confirm."))
            return
        self._client.volumes.delete(name)
        self.refresh()
        self.say(tag("p", f"Deleted {name}."))


def _files(volume: Volume) -> str:
    return "; its files are kept" if volume.registered else " with its files"
