"""With a real JupyterHub: it authenticates users, and each has their own rights."""

from __future__ import annotations

import pytest

from tests.hub.hub import Person, until

pytestmark = pytest.mark.hub


def launch(person: Person, name: str) -> str:
    """Launch a session as a user, and return its id once it is running."""
    asked = {"name": name, "project": "team-ml", "gpu": 0.5}
    made = person.ask("POST", "/sessions", asked)
    assert (made.status, made.body.get("owner")) == (201, person.name)
    path = f"/sessions/{made.body['id']}"
    until(lambda: person.ask("GET", path).body["state"] == "running", person.hub.said)
    return str(made.body["id"])


def test_each_jupyterlab_asks_as_its_owner(ana, li, admin):
    for person, admin_too in ((ana, False), (li, False), (admin, True)):
        about = person.ask("GET", "/about").body
        assert (about["user"], about["backend"]) == (person.name, "memory")
        assert person.ask("GET", "/quota").body["admin"] is admin_too
    assert ana.ask("GET", "/quota").body["mine"] == ["team-ml"]


def test_members_see_a_session_and_only_its_owner_and_admins_stop_it(ana, li, admin):
    session = launch(ana, "exp-1")
    path = f"/sessions/{session}"
    seen = li.ask("GET", path)
    assert (seen.status, seen.body["owner"], seen.body["actions"]) == (200, "ana", [])
    refused = li.ask("POST", f"{path}/stop", {})
    assert (refused.status, refused.body["code"]) == (403, "NotAllowed")
    assert admin.ask("POST", f"{path}/stop", {"reason": "dgx1-1 is serviced"}).status == 200
    until(lambda: ana.ask("GET", path).body["state"] == "stopped", ana.hub.said)
    said = ana.ask("GET", path).body["reason"]["message"]
    assert said == "Stopped by root-admin: dgx1-1 is serviced."


def test_who_is_in_no_group_of_the_project_does_not_see_it(hub, ana):
    session = launch(ana, "exp-2")
    outsider = hub.token_of("bo")
    found = hub.asked_directly(outsider, f"/sessions/{session}")
    assert (found.status, found.body["code"]) == (404, "NotFound")
    assert ana.ask("POST", f"/sessions/{session}/stop", {}).status == 200


def test_a_token_that_was_given_for_something_else_does_not_count(hub, ana, admin):
    """An admin who visits ana's server leaves such a token there."""
    left = hub.token_of("root-admin", scopes=["access:servers!server=ana/"])
    refused = hub.asked_directly(left, "/about")
    assert (refused.status, refused.body["code"]) == (401, "NotAuthenticated")
    meant = hub.token_of("root-admin", scopes=["access:services!service=gpuquota"])
    assert hub.asked_directly(meant, "/about").body["user"] == "root-admin"


def test_services_and_strangers_are_nobody(hub):
    for token in (hub.token, "stranger"):
        refused = hub.asked_directly(token, "/about")
        assert (refused.status, refused.body["code"]) == (401, "NotAuthenticated")


def test_a_kernel_reaches_the_controller_as_its_owner(ana):
    code = "from jupyter_gpuquota import Client; print(Client().about().user)"
    assert ana.in_a_kernel(code) == "ana\n"


def test_no_token_is_logged(hub, ana, li, admin):
    said = hub.said()
    assert "listening on" in said
    for secret in (hub.token, ana.token, li.token, admin.token, "stranger"):
        assert secret not in said
