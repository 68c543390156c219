"""Unknown words and fields of a newer server are shown as text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, get_origin

import msgspec
from msgspec import inspect

from jupyter_gpuquota import Client, model
from jupyter_gpuquota.client.connection.protocol import Message, Reply
from jupyter_gpuquota.core.idle.policy import BUILT_IN
from jupyter_gpuquota.core.usage.quota import sum_up
from jupyter_gpuquota.model.about import About
from jupyter_gpuquota.model.history import History
from jupyter_gpuquota.model.idleness import Activity, Idleness, Signal
from jupyter_gpuquota.model.policy import DecidedRule, Policy, PolicyLevel, SessionPolicy
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.projects import (
    ChangePreview,
    Groups,
    NodeGroup,
    Projects,
    SessionEffect,
)
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Isolation
from jupyter_gpuquota.model.rightsizing import Advice
from jupyter_gpuquota.model.sessions import Endpoint, Session
from jupyter_gpuquota.model.struct import Model, Page
from jupyter_gpuquota.ui.views.details import SessionView
from jupyter_gpuquota.ui.views.history import HistoryView
from jupyter_gpuquota.ui.views.idle import policy_text
from jupyter_gpuquota.ui.views.policy import ExplainView, PolicyView
from jupyter_gpuquota.ui.views.previews import PreviewView
from jupyter_gpuquota.ui.views.projects import ChangeView, ProjectsView
from jupyter_gpuquota.ui.views.quota import QuotaView
from jupyter_gpuquota.ui.views.rules import GroupsView
from jupyter_gpuquota.ui.views.sessions import ChangedView, SessionsView
from jupyter_gpuquota.ui.views.view import View
from jupyter_gpuquota.ui.widgets.launch import preview_html
from tests.builders import (
    NOW,
    make_about,
    make_history,
    make_node,
    make_placement,
    make_project,
    make_session,
    make_slice,
)
from tests.client.inmemory import find_route
from tests.each import each

DATA = {"at": NOW.isoformat(), "code": 7}


def later(value: Any) -> Any:
    """Return a document with an unknown field in each of its objects."""
    if isinstance(value, list):
        return [later(each) for each in value]
    if isinstance(value, dict) and value:
        return {**{key: later(each) for key, each in value.items()}, "added_later": DATA}
    return value


@dataclass
class Later:
    """A server whose answers have words and fields of a newer version."""

    answers: tuple[Model, ...]
    url: str = ""

    def send(self, message: Message) -> Reply:
        row, _ = find_route(message.method, message.target.partition("?")[0])
        kind = get_origin(row.response) or row.response
        (answer,) = (each for each in self.answers if isinstance(each, kind))
        return Reply(200, msgspec.json.encode(later(msgspec.to_builtins(answer))))


def client_of(*answers: Model) -> Client:
    return Client(transport=Later(answers))


def words(**changed: str) -> dict[str, Any]:
    """Return unknown words, which a type checker would refuse."""
    return changed


def make_later_session() -> Session:
    session = make_session(
        "exp1", "0.5", placement=make_placement(make_slice(3, 500)), **words(kind="burst")
    )
    return msgspec.structs.replace(
        session,
        **words(state="hibernating", goal="freeze"),
        reason=Reason(message="Its image is being pulled.", **words(code="ImagePull")),
        isolation=Isolation(**words(memory="quantum", compute="fenced", scope="rack")),
        idle=make_later_idleness(),
        actions=("clone", "log"),
    )


def make_later_idleness() -> Idleness:
    at = NOW + timedelta(minutes=10)
    return Idleness(
        since=NOW - timedelta(minutes=30),
        level="cluster:north",
        acts=at,
        **words(rule="tpu_idle_timeout", action="archive"),
    )


def sides_of(view: View[Any]) -> str:
    """Return everything that a view shows."""
    assert view.records
    return f"{view.text}\n{view.html}"


def test_a_session_is_shown_with_the_words_of_the_server() -> None:
    (seen,) = client_of(Page(items=(make_later_session(),), total=1, revision="1")).sessions.list()
    listed = Page(items=(seen,), total=1, revision="1")
    table = sides_of(SessionsView(listed, {}))
    for word in ("hibernating", "burst", "memory quantum, compute fenced"):
        assert word in table
    assert "hibernating: Its image is being pulled." in ChangedView(listed, {}).text
    details = sides_of(SessionView(seen))
    for word in ("hibernating", "burst", "quantum", "fenced, per rack", "being pulled"):
        assert word in details
    assert "<a" not in details
    assert seen.reason is not None
    assert seen.reason.code == "ImagePull"
    assert seen.actions == ("clone", "log")


def test_an_idle_session_is_shown_with_unknown_signals() -> None:
    running = msgspec.structs.replace(make_later_session(), **words(state="running"))
    signals = (
        Signal(last=NOW, **words(name="tensor_cores", state="idle")),
        Signal(last=NOW, **words(name="cpu", state="asleep")),
    )
    activity = Activity(session=running.id, at=NOW, signals=signals, idle=make_later_idleness())
    rule = DecidedRule(value="5m", level="cluster:north", **words(rule="tpu_idle"))
    client = client_of(running, activity, SessionPolicy(session=running.id, rules=(rule,)))
    policy = client.policy.explain(running.id)
    explained = ExplainView(
        policy, client.sessions.get(running.id), client.activity(running.id), NOW
    )
    shown = sides_of(explained)
    for word in ("tensor_cores", "asleep", "tpu_idle", "cluster:north"):
        assert word in shown
    sentence = "exp1: idle for 30 min (no tensor_cores activity), archive at 03:14 UTC"
    assert f"{sentence} by cluster:north." in shown
    assert policy_text(policy, running.spec.kind) == "none"


def test_a_verdict_is_shown_by_its_message() -> None:
    asked = Preview(message="Starts in the cloud.", **words(verdict="bursts"))
    found = client_of(asked, make_about()).sessions.preview("exp1", gpu=1)
    view = PreviewView(found)
    assert "Starts in the cloud." in sides_of(view)
    assert view.records[0]["verdict"] == "bursts"
    assert view.exit_code == 0
    assert "<b>Starts in the cloud.</b>" in preview_html(found)


def test_advice_is_shown_by_its_message() -> None:
    advice = Advice(message="Two would do.", **words(verdict="split"))
    session = make_later_session()
    found = client_of(session, advice).sessions.advice(session.id)
    assert (found.verdict, found.message) == ("split", "Two would do.")


def test_what_admins_see_is_shown_with_the_words_of_the_server() -> None:
    effect = SessionEffect(
        session="s1",
        name="exp1",
        project="team-a",
        message="exp1 bursts.",
        **words(effect="bursts"),
    )
    preview = ChangePreview(message="One.", sessions=(effect,))
    listed = Projects(items=(make_project(),), revision="1", source="store")
    found = client_of(preview, listed).projects.preview("team-a", quota=1)
    assert "exp1 bursts." in ChangeView(found).text
    projects = Projects(items=(make_project(),), revision="1", **words(source="git"))
    assert "team-a" in sides_of(ProjectsView(client_of(projects).projects.list().document))
    groups = client_of(Groups(items=(NodeGroup(name="big"),))).node_groups.list()
    assert "big" in sides_of(GroupsView(groups.document))


def test_a_policy_is_shown_with_the_words_of_the_server() -> None:
    rules = msgspec.structs.replace(BUILT_IN, **words(action="archive"))
    policy = Policy(levels=(PolicyLevel(level="cluster:north", rules=rules),), built_in=BUILT_IN)
    assert "archive" in sides_of(PolicyView(client_of(policy).policy.get(), {}, NOW))


def test_history_by_something_new_is_shown_by_project() -> None:
    answer: History = msgspec.structs.replace(make_history(), **words(by="queue"))
    client = client_of(answer)
    assert "team-a" in sides_of(HistoryView(client.history().document))


def test_unknown_fields_and_capabilities_are_ignored() -> None:
    about = About(
        version="9.9.9",
        api=1,
        backend="slurm",
        user="ana",
        source="dcgm",
        simulated=False,
        capabilities=("logs", "teleport"),
    )
    assert client_of(about).about().capabilities == ("logs", "teleport")
    quota = sum_up([make_project()], [], [make_node()])
    assert "team-a" in sides_of(QuotaView(client_of(quota).quota.get()))


ANSWERS = {k for k in Model.__subclasses__() if k.__module__.startswith(f"{model.__name__}.")}
ANSWERS -= {Endpoint}  # a scheme that the ingress does not know must not pass for plain HTTP


@each(sorted(ANSWERS, key=str))
def test_no_answer_has_a_closed_vocabulary_or_refuses_a_field(kind: type[Model]) -> None:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    for field in info.fields:
        for part in _parts(field.type):
            assert not isinstance(part, inspect.LiteralType), f"{field.name}: use Open[…]"
            if isinstance(part, inspect.StructType):
                assert not part.forbid_unknown_fields, f"{field.name}: it refuses fields"


def _parts(kind: Any) -> list[Any]:
    """Return a type and those inside it, but not the fields of other documents."""
    if isinstance(kind, inspect.StructType):
        return [kind]
    values = (getattr(kind, name) for name in kind.__struct_fields__)
    inside = [v for each in values for v in (each if isinstance(each, tuple) else (each,))]
    return [kind, *(p for each in inside if isinstance(each, inspect.Type) for p in _parts(each))]
