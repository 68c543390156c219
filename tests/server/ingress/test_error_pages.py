"""The pages that a browser shows in place of a session."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPResponse

from jupyter_gpuquota.core.actions import by_state
from jupyter_gpuquota.errors import (
    BadAnswer,
    Internal,
    NotAllowed,
    NotFound,
    Unavailable,
    WrongState,
)
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.sessions import Goal, State
from jupyter_gpuquota.server.ingress.error_pages import Subject, error_page
from tests.builders import make_session
from tests.server.ingress.conftest import Site

HTML = "text/html,application/xhtml+xml"
NOT_RUNNING = WrongState("exp-1 is not running.", hint="A hint.")


def subject(state: State, name: str = "exp-1", reason: Reason | None = None) -> Subject:
    session = make_session(name, "1", state)
    spec = msgspec.structs.replace(session.spec, name=name)
    actions = tuple(by_state(state))
    shown = msgspec.structs.replace(session, spec=spec, actions=actions, reason=reason)
    return Subject(shown, "/gpuquota/api/sessions/s1/resume")


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ("waiting", "exp-1 is queued"),
        ("starting", "exp-1 is starting"),
        ("running", "exp-1 is not ready"),
        ("stopping", "exp-1 is stopping"),
        ("suspended", "exp-1 is suspended"),
        ("stopped", "exp-1 is stopped"),
        ("done", "exp-1 has finished"),
        ("failed", "exp-1 failed"),
    ],
)
def test_the_title_is_the_state_of_the_session(state: State, title: str) -> None:
    reason = Reason(code="IdleTimeout", message="Idle for 5 min.")
    page = error_page(NOT_RUNNING, "/lab", HTML, subject(state, reason=reason))
    text = page.body.decode()
    assert f"<h1>{title}</h1>" in text
    assert f"<title>{title}</title>" in text
    assert ("Idle for 5 min." in text) == (state != "running")
    can_resume = "resume" in by_state(state)
    assert ("<button" in text) == can_resume
    assert ("script-src" in page.headers["Content-Security-Policy"]) == can_resume


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("suspend", "updated when it has stopped"),
        ("stop", "updated when it has stopped"),
        ("requeue", "opens as soon as the session is running"),
    ],
)
def test_what_a_stopping_session_becomes_is_said(goal: Goal, words: str) -> None:
    stopping = subject("stopping")
    session = msgspec.structs.replace(stopping.session, goal=goal)
    page = error_page(NOT_RUNNING, "/lab", HTML, Subject(session, stopping.resume))
    assert words in page.body.decode()
    assert page.headers["Refresh"]


def test_every_state_has_a_title() -> None:
    for state in get_args(State):
        text = error_page(NOT_RUNNING, "", HTML, subject(state)).body.decode()
        assert "<h1>exp-1 " in text


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (NotFound("No session."), "Session not found"),
        (NotAllowed("No."), "Access denied"),
        (BadAnswer("Bad."), "Invalid response from the session"),
        (Unavailable("Gone."), "The session does not respond"),
        (Internal("A bug."), "The session is not available"),
        (NOT_RUNNING, "The session is not available"),
    ],
)
def test_without_a_session_the_title_is_the_error(error: Exception, title: str) -> None:
    page = error_page(error, "/lab", HTML)
    text = page.body.decode()
    assert f"<h1>{title}</h1>" in text
    assert error.message in text
    assert "<button" not in text
    assert "script-src" not in page.headers["Content-Security-Policy"]


def test_nothing_of_a_session_is_markup() -> None:
    reason = Reason(code="IdleTimeout", message="<img src=x onerror=alert(1)>")
    evil = subject("suspended", "<b>", reason)
    text = error_page(NOT_RUNNING, '"><b>', HTML, Subject(evil.session, '"><b>')).body.decode()
    assert "<b>" not in text
    assert "<img" not in text


def test_programs_get_json() -> None:
    page = error_page(NOT_RUNNING, "/lab", "application/json", subject("suspended"))
    assert json.loads(page.body)["message"] == "exp-1 is not running."


async def fetch(site: Site, path: str) -> HTTPResponse:
    headers = {"Authorization": f"token {site.token}", "Accept": HTML}
    return await AsyncHTTPClient().fetch(site.url(path), headers=headers, raise_error=False)


async def test_the_page_of_a_suspended_session_resumes_it(site: Site) -> None:
    await site.backend.sessions.suspend(site.session.id)
    site.targets.forget()
    page = await fetch(site, "/lab")
    text = page.body.decode()
    assert page.code == 409
    assert f"<h1>{site.session.spec.name} is suspended</h1>" in text
    url = text.partition('<button value="')[2].partition('"')[0]
    assert url == f"{site.serverapp.base_url}gpuquota/api/sessions/{site.session.id}/resume"
    assert any(line.startswith("_xsrf=") for line in page.headers.get_list("Set-Cookie"))
