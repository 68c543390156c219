"""Views in text, HTML and tables: all is escaped, and simulated GPUs are marked."""

from __future__ import annotations

import re
import sys
import time
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import msgspec
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.disclosure import shown
from jupyter_gpuquota.core.end_requests import requested
from jupyter_gpuquota.core.usage.isolation import isolation_of
from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.core.usage.quota import sum_up
from jupyter_gpuquota.errors import Unsupported
from jupyter_gpuquota.model.ending import Exit
from jupyter_gpuquota.model.environments import Environment, Environments
from jupyter_gpuquota.model.nodes import Nodes
from jupyter_gpuquota.model.programs import ExecResult
from jupyter_gpuquota.model.projects import Projects
from jupyter_gpuquota.model.quota import Department
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Placement, Usage
from jupyter_gpuquota.model.sessions import LogChunk, Progress, Session
from jupyter_gpuquota.model.struct import Page
from jupyter_gpuquota.ports.backend import CAPABILITIES
from jupyter_gpuquota.ui.views.details import SessionView, SubmittedView
from jupyter_gpuquota.ui.views.environments import EnvironmentsView
from jupyter_gpuquota.ui.views.history import HistoryView
from jupyter_gpuquota.ui.views.markup import Markup, join, printable, tag
from jupyter_gpuquota.ui.views.nodes import NodesView
from jupyter_gpuquota.ui.views.projects import ProjectsView, ProjectView
from jupyter_gpuquota.ui.views.quota import QuotaView
from jupyter_gpuquota.ui.views.sessions import (
    ChangedView,
    SessionsView,
    anchor,
    href_of,
)
from jupyter_gpuquota.ui.views.texts import ExecView, LogView, TextView
from jupyter_gpuquota.ui.views.top import TopView
from jupyter_gpuquota.ui.views.view import clock_text, minute_text, second_text, span_text
from tests.builders import (
    NOW,
    make_history,
    make_node,
    make_placement,
    make_project,
    make_session,
    make_share,
    make_slice,
)

OUT_OF_TIME = "Timed out."
EVIL = "<script>alert('1')</script>\"&\x1b[2J"


def make_running(**changed) -> Session:
    session = make_session(
        "exp1", "0.5", "running", placement=make_placement(make_slice(3, 500)), base_url="/user/me/"
    )
    isolation = isolation_of(make_share("0.5"), simulated=True, mps=False)
    session = msgspec.structs.replace(session, isolation=isolation, **changed)
    owner = Rights(Caller(session.owner))
    return shown(session, owner, tuple(CAPABILITIES))


def make_evil() -> Session:
    """Return a session with markup wherever users and programs can put it."""
    session = make_running(
        owner=EVIL,
        reason=Reason(code="Killed", message=EVIL, hint=EVIL),
        progress=(Progress(at=NOW, message=EVIL),),
        exit=Exit(code=1, at=NOW, signal=EVIL, last_lines=(EVIL,)),
        state="failed",
    )
    spec = msgspec.structs.replace(
        session.spec,
        name=EVIL,
        project=EVIL,
        environment=EVIL,
        folder=EVIL,
        command=(EVIL,),
        args=(EVIL,),
        env={EVIL: EVIL},
        base_url=EVIL,
    )
    return msgspec.structs.replace(session, spec=spec)


def page(*sessions: Session) -> Page[Session]:
    return Page(items=sessions, total=len(sessions), revision="1")


def views_of(session: Session) -> list:
    projects, nodes = [make_project(session.spec.project)], [make_node("n1", 4)]
    environment = Environment(id=EVIL, label=EVIL, prefix=EVIL, python=EVIL, problem=EVIL)
    return [
        SessionsView(page(session), {session.id: EVIL}),
        ChangedView(page(session), {}),
        SessionView(session),
        SubmittedView(session, EVIL),
        QuotaView(sum_up(projects, [session], nodes)),
        NodesView(Nodes(nodes=draw(nodes, [session], {}), source="simulated", revision="1")),
        TopView(Nodes(nodes=draw(nodes, [session], {}), source="simulated", revision="1")),
        HistoryView(make_history(session.spec.project)),
        EnvironmentsView(Environments(environments=(environment,))),
        LogView(LogChunk(text=EVIL, cursor="1", ended=True)),
        ExecView(ExecResult(exit_code=1, output=EVIL)),
        TextView({"said": EVIL}, EVIL),
    ]


class Elements(HTMLParser):
    """Collect the elements of a page, and fail for unclosed ones."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.handlers: set[str] = set()
        self.open: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.names.add(name)
        self.handlers |= {key for key, _ in attributes if key.startswith("on")}
        self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name


@pytest.mark.parametrize("view", views_of(make_evil()), ids=lambda view: type(view).__name__)
def test_user_input_is_escaped_in_html(view):
    found = Elements(view._repr_html_())
    assert "script" not in found.names
    assert found.handlers == set()


RAW = LogView | ExecView | TextView  # what a program printed is shown as it was printed
TABLES = [view for view in views_of(make_evil()) if not isinstance(view, RAW)]


@pytest.mark.parametrize("view", TABLES, ids=lambda view: type(view).__name__)
def test_user_input_cannot_control_a_terminal(view):
    assert "\x1b" not in repr(view)


@given(st.text())
def test_any_text_stays_text(text):
    made = tag("p", text, title=text)
    parser = Elements(made)
    assert parser.names == {"p"}
    assert join(made, text).startswith(made)


@given(st.text())
def test_printable_text_is_one_line(text):
    assert printable(text).isprintable()


def test_changed_markup_is_text_again():
    assert join(Markup("<b>").upper()) == "&lt;B&gt;"


@pytest.mark.parametrize("view", views_of(make_running()), ids=lambda view: type(view).__name__)
def test_every_view_is_a_table_too(view):
    assert isinstance(view.df, pd.DataFrame)
    assert len(view.df) == len(view.records) > 0


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Unsupported) as caught:
        _ = SessionsView(page(), {}).df
    assert "%pip install pandas" in caught.value.hint


def test_simulated_gpus_are_marked_everywhere():
    session = make_running()
    told = [
        SessionsView(page(session), {}),
        SessionView(session),
        ChangedView(page(session), {}),
        *views_of(session)[3:5],
    ]
    for view in told:
        assert "simulated" in view.text
        assert "simulated" in view.html
    assert bool(SessionsView(page(session), {}).df["simulated"][0])


def test_a_list_has_the_columns_that_users_know():
    heading, row = SessionsView(page(make_running()), {}).text.splitlines()
    columns = "NAME STATUS AGE NODE ENVIRONMENT KIND PROJECT USER GPUs (simulated) ISOLATION"
    assert heading.split() == columns.split()
    assert row.split()[:2] == ["exp1", "running"]
    assert row.split()[-2:] == ["0.5", "none"]


def test_a_list_has_the_urls_below_and_fits_into_120_columns():
    url = f"http://localhost:8888/user/me/gpuquota/s/{'s' * 80}/"
    session = make_running()
    spec = msgspec.structs.replace(session.spec, name="a-longer-name", kind="interactive-spot")
    view = SessionsView(page(msgspec.structs.replace(session, spec=spec)), {session.id: url})
    *table, blank, last = view.text.splitlines()
    assert max(map(len, table)) <= 120
    assert (blank, last) == ("", f"a-longer-name: {url}")
    assert ">URL</th>" in view.html


def test_a_submitted_session_is_two_lines():
    lines = SubmittedView(make_running(), "Open it with `jupyter gpu open exp1`.").text.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["exp1", "Open"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [("interactive-spot", "Interactive (spot)"), ("train", "Training"), ("later", "later")],
)
def test_kinds_are_called_as_in_the_launch_form(kind, words):
    session = make_running()
    session = msgspec.structs.replace(
        session, spec=msgspec.structs.replace(session.spec, kind=kind)
    )
    assert words in SessionsView(page(session), {}).text
    assert words in SessionView(session).text


def test_no_view_of_an_undivided_machine_names_a_project_or_a_quota():
    session = make_running()
    quota = sum_up([make_project("team-a", "4")], [session], [make_node("n1", 4)])
    nodes = Nodes(nodes=draw([make_node("n1", 4)], [session], {}), source="simulated", revision="1")
    told = [
        QuotaView(quota),
        SessionsView(page(session), {}, undivided=quota.undivided),
        SessionView(session, undivided=quota.undivided),
        TopView(nodes, undivided=quota.undivided),
    ]
    for view in told:
        for word in ("team-a", "project", "quota", "fair share"):
            assert word not in view.text.lower().replace("gpuquota", "")
    assert "RUNNING" in told[0].text


def test_a_list_of_real_and_simulated_gpus_marks_each():
    place = Placement(node="n1", slices=(make_slice(),))
    real = msgspec.structs.replace(make_running(), placement=place)
    text = SessionsView(page(real, make_running()), {}).text
    assert [("(simulated)" in line) for line in text.splitlines()] == [False, False, True]


def test_names_of_projects_and_users_stay_on_a_line():
    whole = "white-space: nowrap"
    cells = re.findall("<td[^>]*>(?:team-a|me)</td>", SessionsView(page(make_running()), {}).html)
    assert len(cells) == 2
    assert all(whole in cell for cell in cells)


def test_reasons_of_queued_sessions_are_below_the_list():
    reason = Reason(code="OverQuota", message="team-a uses all of its quota.")
    session = msgspec.structs.replace(make_session("exp2", "2"), reason=reason)
    view = SessionsView(page(session), {})
    assert view.text.endswith("exp2: team-a uses all of its quota.")
    assert "team-a uses all of its quota." in view.html


def test_reasons_of_starting_sessions_are_below_the_list():
    why = Reason(code="ImagePull", message="Pulling torch:2 since 12:00.")
    starting = make_running(state="starting", reason=why)
    assert SessionsView(page(starting), {}).text.endswith("exp1: Pulling torch:2 since 12:00.")


def test_a_list_says_who_else_has_ended_a_session_and_why():
    def ended(name: str, who: str, why: str) -> Session:
        session = make_session(name, state="stopped")
        return msgspec.structs.replace(session, reason=requested("stop", who, why))

    other, own = ended("exp1", "root", "n1 is needed."), ended("exp2", "", "It is done.")
    text = SessionsView(page(other, own), {}).text
    assert text.endswith("\n\nexp1: Stopped by root: n1 is needed.")
    evil = ended(EVIL, EVIL, EVIL)
    for view in (SessionsView(page(evil), {}), ChangedView(page(evil), {}), SessionView(evil)):
        assert "\x1b" not in view.text
        assert "<script" not in view.html


def test_an_empty_list_is_a_sentence():
    view = SessionsView(page(), {})
    assert view.text == "No sessions."
    assert "No sessions." in view.html


def test_one_session_shows_its_isolation_use_and_end():
    used = Usage(at=NOW, memory=20_000, over=True)
    ended = Exit(code=None, at=NOW, signal="SIGKILL", last_lines=("the end",))
    text = SessionView(make_running(usage=used, exit=ended)).text
    assert "memory none, compute none" in text
    assert "20000 MiB (over its share)" in text
    assert "unknown exit code (SIGKILL)" in text
    assert text.endswith("the end")


def test_one_session_shows_its_reason_as_the_engine_reports_it():
    raw = "0/2 nodes are available:\nclaim <data> not found."
    reason = Reason(code="VolumePending", message="A volume is not ready.", raw=raw)
    queued = msgspec.structs.replace(make_session("exp2", "2"), reason=reason)
    view = SessionView(queued)
    assert view.text.endswith("as reported:\n  0/2 nodes are available:\n  claim <data> not found.")
    assert "claim &lt;data&gt; not found." in view.html


def test_a_link_is_below_the_base_url_of_its_jupyterlab():
    session = make_running()
    assert href_of(session) == "/user/me/gpuquota/s/id-exp1/"
    assert 'href="/user/me/gpuquota/s/id-exp1/"' in SessionsView(page(session), {}).html
    assert href_of(make_running(state="stopping")) == ""
    command = msgspec.structs.replace(session.spec, command=("serve",), ports=(6006,))
    assert href_of(make_running(spec=command)).endswith("/p/6006/")
    command = msgspec.structs.replace(session.spec, command=("train",))
    assert href_of(make_running(spec=command)) == ""


def test_sessions_that_only_others_can_open_have_no_link():
    session = msgspec.structs.replace(make_running(owner="ana"), actions=("log",))
    assert href_of(session) == ""
    assert "<a" not in SessionsView(page(session), {}).html


@pytest.mark.parametrize("href", ["javascript:alert(1)", "//evil/x", "data:text/html,x", ""])
def test_other_kinds_of_addresses_are_not_links(href):
    assert "<a" not in anchor(href, "open")


def test_quota_of_one_project():
    quota = sum_up([make_project("team-a"), make_project("team-b")], [], [make_node()])
    view = QuotaView(quota, project="team-b")
    assert "team-a" not in view.text
    assert list(view.df["project"]) == ["team-b"]


def test_what_admins_are_warned_of_is_below_the_quota():
    quota = sum_up([make_project("team-a")], [], [make_node()])
    view = QuotaView(quota, warnings=["The quota file <q> is broken."])
    assert view.text.endswith("\n\nThe quota file <q> is broken.")
    assert "The quota file &lt;q&gt; is broken." in view.html
    assert view.document == quota


def test_departments_follow_the_projects_as_a_tree():
    departments = (
        Department(name="<vision>", parent="all", projects=("team-a", "team-c")),
        Department(name="art", parent="text"),
        Department(name="all", projects=("team-b",), quota=8000, limit=8500, allocated=1500),
        Department(name="text", parent="all"),
    )
    quota = msgspec.structs.replace(
        sum_up([make_project("team-a")], [], [make_node()]), departments=departments
    )
    view = QuotaView(quota)
    table = view.text.split("\n\n")[1].splitlines()
    assert [line.split() for line in table] == [
        ["DEPARTMENT", "PART", "OF", "QUOTA", "LIMIT", "IN", "USE", "PROJECTS"],
        ["all", "-", "8", "8.5", "1.5", "team-b"],
        ["<vision>", "all", "unlimited", "unlimited", "0", "team-a,", "team-c"],
        ["text", "all", "unlimited", "unlimited", "0", "-"],
        ["art", "text", "unlimited", "unlimited", "0", "-"],
    ]
    assert 'aria-label="Departments"' in view.html
    assert "&lt;vision&gt;" in view.html
    assert "DEPARTMENT" not in QuotaView(quota, project="team-a").text


def test_projects_name_their_departments_where_there_are_any():
    items = (make_project("team-a", department="vision"), make_project("team-b"))
    shown = ProjectsView(Projects(items=items, source="engine", revision="1"))
    assert [line.split()[:2] for line in shown.text.splitlines()[:2]] == [
        ["PROJECT", "DEPARTMENT"],
        ["team-a", "vision"],
    ]
    assert list(shown.df["department"]) == ["vision", ""]
    assert "Department:" in ProjectView(items[0]).text
    assert "Department" not in ProjectView(items[1]).text
    assert "DEPARTMENT" not in ProjectsView(Projects(items=items[1:], source="", revision="")).text


def test_quota_is_a_labelled_bar():
    session = make_running()
    html = QuotaView(sum_up([make_project("team-a")], [session], [make_node()])).html
    assert 'role="progressbar"' in html
    assert 'aria-valuenow="12"' in html
    assert 'aria-label="0.5 of 4 GPUs"' in html


def test_headings_of_html_keep_the_case_of_abbreviations():
    html = SessionsView(page(make_running()), {}).html
    for heading in ("Name", "GPUs (simulated)", "URL"):
        assert f">{heading}</th>" in html
    nodes = Nodes(nodes=draw([make_node("n1", 1)], [], {}), source="simulated", revision="1")
    for heading in ("GPU", "Memory used"):
        assert f">{heading}</th>" in NodesView(nodes).html


@pytest.mark.parametrize("view", views_of(make_running()), ids=lambda view: type(view).__name__)
def test_cells_are_aligned_without_our_style_sheet(view):
    for cell in re.findall(r"<t[dh]\b[^>]*>", view.body):
        assert "text-align: left" in cell


def test_names_of_nodes_and_models_stay_in_one_line():
    nodes = Nodes(nodes=draw([make_node("dgx-1", 1)], [], {}), source="simulated", revision="1")
    assert re.search(r'white-space: nowrap">dgx-1<', NodesView(nodes).html)
    assert re.search(r'white-space: nowrap">[^<]*\(simulated\)<', NodesView(nodes).html)


def test_a_machine_without_gpus_is_a_sentence():
    view = NodesView(Nodes(nodes=draw([make_node("n1", 0)], [], {}), source="none", revision="1"))
    assert view.text == "No GPUs found on n1."
    assert len(view.df) == 0


@pytest.mark.parametrize(
    ("result", "code", "said"),
    [
        (ExecResult(exit_code=0, output="hi\n"), 0, "hi"),
        (ExecResult(exit_code=3, output="hi\n"), 3, "hi\nExit code 3."),
        (ExecResult(exit_code=-9, output="", timed_out=True), 124, OUT_OF_TIME),
    ],
)
def test_a_program_shows_how_it_ended(result, code, said):
    view = ExecView(result)
    assert (view.exit_code, view.text) == (code, said)


@pytest.fixture
def in_berlin(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_berlin")
def test_times_are_those_of_this_machine_and_name_their_zone():
    at = datetime(2026, 1, 2, 22, 30, 5, tzinfo=UTC)
    assert clock_text(at) == "23:30 CET"
    assert minute_text(at + timedelta(hours=1)) == "2026-01-03 00:30 CET"
    assert second_text(at.replace(month=7)) == "2026-07-03 00:30:05 CEST"


@pytest.mark.parametrize(
    ("seconds", "said"), [(-5, "0s"), (59, "59s"), (60, "1m"), (7199, "1h"), (2 * 86400, "2d")]
)
def test_an_age_is_short(seconds, said):
    assert span_text(NOW, NOW + timedelta(seconds=seconds)) == said


def test_the_source_of_an_environment_is_a_prefix_or_an_image():
    torch = Environment(id="torch", label="torch", image="ghcr.io/team/torch:2")
    base = Environment(id="base", label="base", prefix="/env", python="/env/bin/python")
    shown = EnvironmentsView(Environments(environments=(torch, base))).text
    assert "image ghcr.io/team/torch:2" in shown
    assert "/env" in shown
    session = make_session(environment="", image="ghcr.io/team/torch:2")
    assert "image ghcr.io/team/torch:2" in SessionView(session).text
    assert "torch:2" in SessionsView(page(session), {}).text
