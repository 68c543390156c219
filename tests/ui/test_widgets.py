"""Widgets: what they show, and what their buttons and fields do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ipywidgets import Accordion, Button, Widget
from msgspec import structs

from jupyter_gpuquota import Client, LaunchWidget, QuotaWidget, SessionsWidget
from jupyter_gpuquota.ui.views.markup import tag
from jupyter_gpuquota.ui.widgets.live import live
from tests.fakes import ENVIRONMENT, Instead
from tests.ui.test_container import MEANT, make_volumes


@pytest.fixture(autouse=True)
def no_widget_stays():
    yield
    Widget.close_all()


def button(widget: Widget, label: str) -> Button:
    """Find a button by its label."""
    children = getattr(widget, "children", ())
    if isinstance(widget, Button) and widget.description == label:
        return widget
    return next((found for child in children if (found := button(child, label))), None)


def html_of(widget) -> str:
    return widget.children[0].value


def said(widget) -> str:
    return widget.children[-1].value


def test_an_element_names_its_noun_and_keeps_a_fallback():
    old = tag("p", "old")
    assert live("quota", old) == '<gpuquota-live noun="quota"><p>old</p></gpuquota-live>'
    made = live("sessions", old, project='a"b', session="x")
    assert made.startswith('<gpuquota-live noun="sessions" project="a&quot;b" session="x">')


def test_quota_is_shown_live_and_as_it_is_now(client):
    widget = QuotaWidget(client, project="team-b")
    assert html_of(widget).startswith('<gpuquota-live noun="quota" project="team-b">')
    assert "team-b" in html_of(widget)
    assert "team-a" not in html_of(widget).replace("team-a (default)", "")
    client.sessions.submit("exp1", gpu=1, project="team-b")
    assert "1 of 2 GPUs" not in html_of(widget)  # nothing happens by itself
    button(widget, "Refresh").click()
    assert "1 of 2 GPUs" in html_of(widget)


class TestSessions:
    @pytest.fixture
    def widget(self, client):
        client.sessions.submit("exp1", gpu=0.5)
        client.sessions.submit("exp2", gpu=0.5)
        return SessionsWidget(client)

    @pytest.fixture
    def choose(self, widget):
        def choose(label: str) -> None:
            widget._choice.value = dict(widget._choice.options)[label]

        return choose

    def test_sessions_are_shown_and_can_be_selected(self, widget):
        assert 'noun="sessions"' in html_of(widget)
        assert [label for label, _ in widget._choice.options] == ["team-a/exp1", "team-a/exp2"]

    def test_buttons_need_a_selection(self, widget, client):
        button(widget, "Stop").click()
        assert "No session selected." in said(widget)
        assert button(widget, "Stop").disabled
        assert not button(widget, "Refresh").disabled
        assert {s.state for s in client.sessions.list()} == {"running"}

    def test_the_buttons_do_what_they_say(self, widget, choose, client, backend):
        choose("team-a/exp1")
        assert not button(widget, "Delete").disabled
        backend.logs.texts[client.sessions.get("exp1").id] = "<b>hello</b>\n"
        button(widget, "Logs").click()
        assert "&lt;b&gt;hello&lt;/b&gt;" in said(widget)
        button(widget, "Open").click()
        assert 'target="_blank"' in said(widget)
        button(widget, "Keep alive").click()
        assert "exp1 is kept alive until" in said(widget)
        for label, state, words in [
            ("Suspend", "suspended", "exp1: Suspended on request."),
            ("Resume", "running", "exp1 is running"),
            ("Stop", "stopped", "exp1: Stopped on request."),
        ]:
            button(widget, label).click()
            assert client.sessions.get("exp1").state == state
            assert words in said(widget)
        button(widget, "Delete").click()
        assert "Deleted exp1." in said(widget)

    def test_a_deleted_session_is_no_longer_selected(self, widget, choose, client):
        choose("team-a/exp1")
        client.sessions.delete("exp1", stop=True)
        button(widget, "Refresh").click()
        assert widget._choice.value is None
        button(widget, "Delete").click()
        assert [s.spec.name for s in client.sessions.list()] == ["exp2"]

    def test_the_selection_survives_a_refresh(self, widget, choose):
        choose("team-a/exp2")
        chosen = widget._choice.value
        button(widget, "Refresh").click()
        assert widget._choice.value == chosen

    def test_an_error_is_shown_and_cleared(self, widget, choose):
        choose("team-a/exp1")
        button(widget, "Delete").click()
        assert 'role="alert"' in said(widget)
        assert "exp1 is running and cannot be deleted." in said(widget)
        button(widget, "Refresh").click()
        assert said(widget) == ""


class TestLaunch:
    @pytest.fixture
    def widget(self, client):
        return LaunchWidget(client)

    def preview(self, widget) -> str:
        return widget._preview.value

    def test_projects_and_images_are_offered(self, widget):
        assert widget._fields["project"].options == ("team-a", "team-b")
        assert widget._fields["project"].value == "team-a"
        assert widget._fields["environment"].options == ("base",)

    def test_environments_are_offered_where_sessions_are_processes(self, backend, client):
        backend.inventory.containers = None
        widget = LaunchWidget(client)
        assert ("base", "/env") in widget._fields["environment"].options
        assert not any(isinstance(child, Accordion) for child in widget.children)

    @pytest.mark.parametrize("in_containers", [True, False])
    def test_environments_are_those_of_the_projects_cluster(
        self, backend, transport, client, in_containers
    ):
        async def environments():
            return (structs.replace(ENVIRONMENT, id="torch", label="torch"),)

        if not in_containers:
            backend.inventory.containers = None
        there = replace(backend, inventory=Instead(backend.inventory, environments=environments))
        transport.backend = replace(backend, clusters={"lab": backend, "cloud": there})
        widget = LaunchWidget(client)
        project, environment = widget._fields["project"], widget._fields["environment"]

        def offered() -> list[str]:
            return [each if isinstance(each, str) else each[0] for each in environment.options]

        assert offered()[-1] == "base"
        project.options = (*project.options, "cloud/ml")
        project.value = "cloud/ml"
        assert offered()[-1] == "torch"
        project.value = "team-b"
        assert offered()[-1] == "base"

    def test_every_option_of_a_container_is_sent(self, widget, client):
        make_volumes(client)
        entered = {
            "cpu": "500m",
            "cpu_limit": "2",
            "memory": "8Gi",
            "memory_limit": "16Gi",
            "large_shm": True,
            "tolerations": "gpu\n team=a:NoExecute\n",
            "pull_secrets": "registry",
            "pull_policy": "Always",
            "service_account": "reader",
            "run_as": "1000:100",
            "secret_env": "KEY=keys/api",
            "volumes": "data:/data:ro\nhome:/work",
            "env": "A=b=c",
        }
        for name, value in entered.items():
            widget._options[name].value = value
        widget._fields["name"].value = "exp1"
        button(widget, "Launch").click()
        spec = client.sessions.get("exp1").spec
        assert (spec.pod, spec.env) == (MEANT, {"A": "b=c"})
        assert set(entered) == set(widget._options) - {"node_type"}

    def test_all_wrong_options_are_named_at_once(self, widget):
        widget._options["env"].value = "A"
        widget._fields["command"].value = "'"
        widget._options["secret_env"].value = "B"
        button(widget, "Launch").click()
        assert "env.A: The value is missing. Write NAME=value." in said(widget)
        assert "secret_env.B: The value is missing." in said(widget)
        assert "command: Cannot be split" in said(widget)

    def test_a_preview_shows_what_would_happen(self, widget):
        widget._fields["preset"].value = "2"
        assert "Enter a name." in self.preview(widget)
        assert "Starts now" in self.preview(widget)
        assert "✓" not in self.preview(widget)
        widget._fields["name"].value = "exp1"
        assert "✓ Starts now" in self.preview(widget)
        assert "name" not in self.preview(widget)
        widget._fields["gpu"].value = "16"
        assert "✗" in self.preview(widget)
        widget._fields["gpu"].value = "<b>"
        assert "&lt;b&gt;" in self.preview(widget)
        assert "<b>&lt;" not in self.preview(widget)

    def test_fields_have_room_for_their_labels_and_hints(self, widget):
        fields = {name: field for name, field in widget._fields.items() if name != "preset"}
        assert {field.layout.width for field in fields.values()} == {"32em"}
        assert {field.style.description_width for field in fields.values()} == {"9em"}
        assert all(len(field.description) <= 14 for field in fields.values())
        assert all(len(getattr(field, "placeholder", "")) <= 30 for field in fields.values())

    def test_the_choices_are_those_of_the_form_in_jupyterlab(self, backend, client):
        backend.inventory.containers = None
        widget = LaunchWidget(client)
        kinds = [label for label, _ in widget._fields["kind"].options]
        assert kinds == ["Interactive", "Interactive (spot)", "Training"]
        assert widget._fields["environment"].options[0] == ("Default", "")

    def test_a_queued_request_has_no_mark_that_fonts_lack(self, widget, client):
        client.sessions.submit("full", gpu=4, project="team-a")
        widget._fields["name"].value = "exp1"
        assert "<b>Will be queued" in self.preview(widget)

    def test_it_launches(self, widget, client):
        widget._fields["name"].value = "exp1"
        widget._fields["project"].value = "team-b"
        widget._fields["command"].value = "python 'my train.py'"
        widget._fields["idle_timeout"].value = "2h"
        button(widget, "Launch").click()
        session = client.sessions.get("exp1")
        assert session.spec.share.milli == 500
        assert session.spec.project == "team-b"
        assert session.spec.command == ("python", "my train.py")
        assert session.spec.idle_timeout == 7200
        assert "exp1 is running" in said(widget)

    def test_problems_are_shown_with_their_field(self, widget, client):
        widget._fields["name"].value = "a b"
        widget._fields["command"].value = "python 'x"
        button(widget, "Launch").click()
        assert "command: Cannot be split into words" in said(widget)
        widget._fields["command"].value = ""
        button(widget, "Launch").click()
        assert "name: " in said(widget)
        assert client.sessions.list() == ()

    def test_an_unreachable_server_is_reported(self):
        widget = LaunchWidget(Client("http://127.0.0.1:1/"))
        assert 'role="alert"' in said(widget)
        assert "does not answer" in said(widget)
