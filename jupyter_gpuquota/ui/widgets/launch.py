"""A widget that launches sessions."""

from __future__ import annotations

import shlex
from typing import Any, get_args

from ipywidgets import (
    HTML,
    Button,
    Dropdown,
    HBox,
    Text,
    ToggleButtons,
    VBox,
)

from ...client import Client
from ...client.sessions import Wishes
from ...errors import FieldError, GpuQuotaError, refused
from ...model.previews import Preview
from ...model.sessions import Kind
from ..views.markup import Markup, join, tag
from ..views.sessions import isolation_text, outcome
from .live import error_html

PRESETS = (("¼ GPU", "0.25"), ("½ GPU", "0.5"), ("1 GPU", "1"), ("2 GPU", "2"), ("CPU only", ""))
_VERDICTS = {"fits": "✓", "borrows": "✓", "reclaims": "⏳", "waits": "⏳", "forbidden": "✗"}


class LaunchWidget(VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """Ask for a session in a form; a line says what would happen, whenever a field changes."""

    def __init__(self, client: Client | None = None) -> None:
        super().__init__()
        self._client = client or Client()
        self._preview = HTML()
        self._said = HTML()
        self._fields = _make_fields()
        self._fields["preset"].observe(self._take_preset, "value")
        for name, field in self._fields.items():
            if name != "preset":
                field.observe(self._look_ahead, "value")
        self._launch = Button(description="Launch", button_style="primary")
        self._launch.on_click(self._submit)
        self.children = (
            *self._fields.values(),
            self._preview,
            HBox([self._launch]),
            self._said,
        )
        self._fill()

    def _fill(self) -> None:
        """Let the user choose among projects and environments."""
        try:
            quota = self._client.quota.get()
            environments = self._client.environments.list().environments
        except GpuQuotaError as error:
            self._said.value = error_html(error)
            return
        preferred = self._client.context.project()
        self._fields["project"].options = quota.mine
        if quota.mine:
            known = preferred in quota.mine
            self._fields["project"].value = preferred if known else quota.default
        usable = [(e.label, e.image or e.prefix) for e in environments if not e.problem]
        self._fields["environment"].options = [("usual", ""), *usable]

    def _take_preset(self, _change: object) -> None:
        self._fields["gpu"].value = self._fields["preset"].value

    def _look_ahead(self, _change: object) -> None:
        try:
            name, wishes = self._wishes()
            found = self._client.sessions.preview(name or "unnamed", **wishes)
            self._preview.value = preview_html(found, named=bool(name))
        except GpuQuotaError as error:
            self._preview.value = error_html(error)

    def _submit(self, _button: object) -> None:
        try:
            name, wishes = self._wishes()
            session = self._client.sessions.submit(name, **wishes)
        except GpuQuotaError as error:
            self._said.value = error_html(error)
        else:
            self._said.value = tag("p", outcome(session), role="status")

    def _wishes(self) -> tuple[str, Wishes]:
        said: dict[str, Any] = {name: field.value for name, field in self._fields.items()}
        try:
            command = shlex.split(said["command"])
        except ValueError as error:
            problem = FieldError("command", f"It cannot be split into words: {error}.")
            raise refused(problem) from error
        wishes: Wishes = {
            "project": said["project"] or "",
            "kind": said["kind"],
            "gpu": said["gpu"],
            "environment": said["environment"],
            "folder": said["folder"],
            "command": command,
            "idle_timeout": said["idle_timeout"],
        }
        return said["name"].strip(), wishes


def preview_html(preview: Preview, *, named: bool = True) -> Markup:
    """Return what would happen, with every broken rule and what would hold the share.

    What fits has its mark of success only once it can be launched, which takes a name.
    """
    mark = _VERDICTS.get(preview.verdict, "") if named or preview.verdict != "fits" else ""
    line = tag("b", f"{mark} {preview.message}".lstrip())
    missing = Markup() if named else tag("div", "Give it a name to launch it.")
    problems = (tag("li", f"{p.field}: {p.message} {p.hint}") for p in preview.problems)
    holds = f"Isolation: {isolation_text(preview.isolation)}" if preview.isolation else ""
    listed = tag("ul", *problems) if preview.problems else ""
    parts = [missing, line, listed, tag("div", holds)]
    return tag("div", join(*parts), role="status")


def _make_fields() -> dict[str, Any]:
    """Make the fields of the form, with room for the longest label."""
    wide = {"description_width": "9em"}

    # A text says its value when it is left or Enter is pressed, not at each key.
    def text(label: str, hint: str = "") -> Text:
        return Text(description=label, placeholder=hint, continuous_update=False, style=wide)

    return {
        "name": text("Name", "exp-1"),
        "project": Dropdown(description="Project", options=(), style=wide),
        "kind": Dropdown(description="Kind", options=get_args(Kind), style=wide),
        "preset": ToggleButtons(description="Share", options=PRESETS, value="0.5"),
        "gpu": Text(value="0.5", description="GPU", continuous_update=False, style=wide),
        "environment": Dropdown(
            description="Environment", options=[("usual", "")], value="", style=wide
        ),
        "folder": text("Folder", "JupyterLab's root"),
        "command": text("Command", "empty for a Jupyter Server"),
        "idle_timeout": text("Idle timeout", "empty for the usual one; 30m, 2h"),
    }
