"""What a request leaves open is filled in with what is at home in this JupyterLab."""

from __future__ import annotations

import json
import sys

import msgspec
import pytest

from jupyter_gpuquota.api.dispatch import Answer, Asked
from jupyter_gpuquota.errors import InvalidRequest
from jupyter_gpuquota.model.routes import route
from jupyter_gpuquota.server.home import AtHome
from tests.builders import make_about
from tests.fakes import me

pytestmark = pytest.mark.asyncio


class Recorder:
    """Answer nothing but who answers, and remember what was asked."""

    def __init__(self, *, local_files: bool = True) -> None:
        self.asked: list[Asked] = []
        self.about = make_about(local_files=local_files)

    async def dispatch(self, asked: Asked) -> Answer:
        if asked.route.name == "about.get":
            return Answer(200, msgspec.json.encode(self.about))
        self.asked.append(asked)
        return Answer(200)


async def completed(
    name: str, body: dict, root: str = "/home/ana", *, local_files: bool = True
) -> dict:
    recorder = Recorder(local_files=local_files)
    home = AtHome(recorder, "/user/ana/", root)
    await home.dispatch(Asked(route=route(name), caller=me("ana"), body=json.dumps(body).encode()))
    return json.loads(recorder.asked[0].body)


@pytest.mark.parametrize("name", ["sessions.create", "sessions.preview"])
async def test_a_request_gets_base_url_folder_and_environment(name):
    assert await completed(name, {"name": "a"}) == {
        "name": "a",
        "base_url": "/user/ana/",
        "folder": "/home/ana",
        "environment": sys.prefix,
    }


async def test_where_sessions_do_not_see_this_machine_nothing_of_it_is_named():
    asked = {"name": "a", "folder": "work"}
    found = await completed("sessions.create", asked, local_files=False)
    assert found == {**asked, "base_url": "/user/ana/"}


async def test_what_was_named_stays():
    asked = {"name": "a", "folder": "/data", "environment": "torch", "gpu": 0.5}
    assert await completed("sessions.create", asked) == {**asked, "base_url": "/user/ana/"}


@pytest.mark.parametrize(
    ("folder", "becomes"),
    [("", "/home/ana"), ("work", "/home/ana/work"), ("~/x", "~/x"), ("/", "/"), (5, 5)],
)
async def test_a_relative_folder_begins_at_the_servers_root(folder, becomes):
    assert (await completed("sessions.create", {"folder": folder}))["folder"] == becomes


async def test_a_server_without_folders_leaves_the_folder_open():
    assert "folder" not in await completed("sessions.create", {"name": "a"}, root="")


async def test_nobody_names_another_base_url():
    assert (await completed("sessions.create", {"base_url": "/"}))["base_url"] == "/user/ana/"
    assert await completed("sessions.resume", {}) == {"base_url": "/user/ana/"}


async def test_other_requests_pass_as_they_are():
    recorder = Recorder()
    asked = Asked(route=route("sessions.exec"), caller=me("ana"), body=b"not even JSON")
    await AtHome(recorder, "/", "/").dispatch(asked)
    assert recorder.asked == [asked]


async def test_a_body_that_is_no_object_is_refused():
    with pytest.raises(InvalidRequest):
        await AtHome(Recorder(), "/", "/").dispatch(
            Asked(route=route("sessions.create"), body=b"[]")
        )
