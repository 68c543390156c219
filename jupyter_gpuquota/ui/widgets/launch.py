"""A form that launches sessions."""

from __future__ import annotations

import shlex
from typing import Any

from ipywidgets import (
    HTML,
    Accordion,
    Button,
    Combobox,
    Dropdown,
    HBox,
    Text,
    ToggleButtons,
    VBox,
)

from ...client import Client
from ...client.sessions import Wishes
from ...errors import FieldError, GpuQuotaError, refused
from ...model.clusters.names import cluster_of
from ...model.previews import Preview
from ..views.markup import Markup, join, tag
from ..views.sessions import KINDS, isolation_text, outcome
from . import container
from .live import error_html

PRESETS = (("¼ GPU", "0.25"), ("½ GPU", "0.5"), ("1 GPU", "1"), ("2 GPUs", "2"), ("CPU only", ""))
_KINDS = tuple((words, kind) for kind, words in KINDS.items())
_SIZE: dict[str, Any] = {"style": {"description_width": "9em"}, "layout": {"width": "32em"}}
_MARKS = {"fits": "✓", "borrows": "✓", "forbidden": "✗"}


class LaunchWidget(VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """A form for a new session, with a preview of what would happen."""

    def __init__(self, client: Client | None = None) -> None:
        super().__init__()
        self._client = client or Client()
        self._preview = HTML()
        self._status = HTML()
        self._fields = _make_fields()
        self._places = self._fields["on"]
        self._fields["preset"].observe(self._take_preset, "value")
        for name, field in self._fields.items():
            if name != "preset":
                field.observe(self._show_preview, "value")
        self._options: dict[str, Any] = {}
        self._launch = Button(description="Launch", button_style="primary")
        self._launch.on_click(self._submit)
        self._cluster = ""
        self._fill()
        self._fields["project"].observe(self._take_project, "value")
        self.children = (
            *self._fields.values(),
            *self._more(),
            self._preview,
            HBox([self._launch]),
            self._status,
        )

    def _fill(self) -> None:
        """Fill the lists of projects and environments."""
        try:
            quota = self._client.quota.get()
            about = self._client.about()
            preferred = self._client.context.project()
            self._fields["project"].options = quota.mine
            if quota.mine:
                known = preferred in quota.mine
                self._fields["project"].value = preferred if known else quota.default
            self._places.layout.display = "" if about.clusters else "none"
            self._places.placeholder = ", ".join(about.clusters[:2])
            if about.containers:
                self._offer_containers()
            self._offer_environments()
        except GpuQuotaError as error:
            self._status.value = error_html(error)

    def _offer_environments(self) -> None:
        """Offer the environments of the project's cluster. Raises GpuQuotaError."""
        project = self._fields["project"].value or ""
        self._cluster = cluster_of(project)
        asked = project if self._cluster else ""
        found = self._client.environments.list(project=asked).environments
        usable = [e for e in found if not e.problem]
        if self._options:
            self._fields["environment"].options = [e.id for e in usable]
        else:
            listed = [(e.label, e.image or e.prefix) for e in usable]
            self._fields["environment"].options = [("Default", ""), *listed]

    def _offer_containers(self) -> None:
        """Offer images, of which any may be typed, and the options of a container."""
        self._fields["environment"] = Combobox(
            description="Image",
            placeholder="default",
            continuous_update=False,
            **_SIZE,
        )
        self._options = container.make_fields()
        for field in (self._fields["environment"], *self._options.values()):
            field.observe(self._show_preview, "value")

    def _more(self) -> list[Accordion]:
        """Return the options of a container, folded, if sessions have some."""
        if not self._options:
            return []
        return [Accordion([VBox([*self._options.values()])], titles=("Container",))]

    def _take_project(self, _change: object) -> None:
        if cluster_of(self._fields["project"].value or "") == self._cluster:
            return
        try:
            self._offer_environments()
        except GpuQuotaError as error:
            self._status.value = error_html(error)

    def _take_preset(self, _change: object) -> None:
        self._fields["gpu"].value = self._fields["preset"].value

    def _show_preview(self, _change: object) -> None:
        try:
            name, wishes = self._wishes()
            preview = self._client.sessions.preview(name or "unnamed", **wishes)
            self._preview.value = preview_html(preview, named=bool(name))
        except GpuQuotaError as error:
            self._preview.value = error_html(error)

    def _submit(self, _button: object) -> None:
        try:
            name, wishes = self._wishes()
            session = self._client.sessions.submit(name, **wishes)
        except GpuQuotaError as error:
            self._status.value = error_html(error)
        else:
            self._status.value = tag("p", outcome(session), role="status")

    def _wishes(self) -> tuple[str, Wishes]:
        values: dict[str, Any] = {name: field.value for name, field in self._fields.items()}
        problems: list[FieldError] = []
        options = container.read(self._options, problems)
        command = _words("command", values["command"], problems)
        data = _words("data", values["data"], problems)
        places = [name.strip() for name in values["on"].split(",") if name.strip()]
        if problems:
            raise refused(*problems)
        wishes: Wishes = {
            "project": values["project"] or "",
            "kind": values["kind"],
            "gpu": values["gpu"],
            "environment": values["environment"],
            "folder": values["folder"],
            "command": command,
            "idle_timeout": values["idle_timeout"],
            "data": data,
            "on": places,
            **options,
        }
        return values["name"].strip(), wishes


def _words(field: str, text: str, problems: list[FieldError]) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        problems.append(FieldError(field, f"Cannot be split into words: {error}."))
        return []


def preview_html(preview: Preview, *, named: bool = True) -> Markup:
    """Return what would happen, with all broken rules and the isolation.

    Without a name nothing can be launched, so there is no mark of success.
    """
    mark = _MARKS.get(preview.verdict, "") if named or preview.verdict != "fits" else ""
    line = tag("b", f"{mark} {preview.message}".lstrip())
    prompt = Markup() if named else tag("div", "Enter a name.")
    problems = (tag("li", f"{p.field}: {p.message} {p.hint}") for p in preview.problems)
    places = (tag("li", f"{p.label}: {p.message}") for p in preview.places)
    holds = f"Isolation: {isolation_text(preview.isolation)}" if preview.isolation else ""
    listed = tag("ul", *problems) if preview.problems else ""
    tried = tag("ol", *places) if preview.places else ""
    parts = [prompt, line, listed, tried, tag("div", holds)]
    return tag("div", join(*parts), role="status")


def _make_fields() -> dict[str, Any]:
    """Return the fields of the form."""

    # A text field reports its value on Enter or when it loses focus, not at each key.
    def text(label: str, hint: str = "") -> Text:
        return Text(description=label, placeholder=hint, continuous_update=False, **_SIZE)

    return {
        "name": text("Name", "exp-1"),
        "project": Dropdown(description="Project", options=(), **_SIZE),
        "kind": Dropdown(description="Kind", options=_KINDS, **_SIZE),
        "preset": ToggleButtons(description="Share", options=PRESETS, value="0.5"),
        "gpu": Text(value="0.5", description="GPU", continuous_update=False, **_SIZE),
        "environment": Dropdown(
            description="Environment", options=[("Default", "")], value="", **_SIZE
        ),
        "folder": text("Folder", "default"),
        "command": text("Command", "Jupyter server"),
        "idle_timeout": text("Idle timeout", "default"),
        "data": text("Datasets", "NAME@REF[:/path] …"),
        "on": text("Clusters"),
    }
