"""What a request leaves open is filled in with what is at home in this JupyterLab."""

from __future__ import annotations

import json
import os
import sys

import msgspec
import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.errors import InvalidFields, InvalidRequest
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.server.request_defaults import RequestDefaults
from tests.builders import make_about
from tests.fakes import me

pytestmark = pytest.mark.asyncio


class Recorder:
    """Answer nothing but who answers, and remember what was asked."""

    def __init__(self, *, local_files: bool = True) -> None:
        self.asked: list[ApiRequest] = []
        self.about = make_about(local_files=local_files)

    async def dispatch(self, asked: ApiRequest) -> ApiResponse:
        if asked.route.name == "about.get":
            return ApiResponse(200, msgspec.json.encode(self.about))
        self.asked.append(asked)
        return ApiResponse(200)


async def completed(
    name: str, body: dict, root: str = "/home/ana", *, local_files: bool = True
) -> dict:
    recorder = Recorder(local_files=local_files)
    home = RequestDefaults(recorder, "/user/ana/", root)
    await home.dispatch(
        ApiRequest(route=route(name), caller=me("ana"), body=json.dumps(body).encode())
    )
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


@pytest.mark.parametrize(
    ("folder", "becomes"), [("", ""), ("work", "/home/ana/work"), ("~/x", "~/x"), (5, 5)]
)
async def test_a_folder_of_a_template_does_so_only_if_it_is_named(folder, becomes):
    request = {"gpu": 0.5, "folder": folder}
    found = await completed("templates.put", {"title": "A", "request": request})
    assert found == {"title": "A", "request": {**request, "folder": becomes}}


@pytest.mark.parametrize("asked", [{"session": "exp-1"}, {"request": "small"}, {}])
async def test_a_template_without_a_folder_is_saved_as_it_is(asked):
    assert await completed("templates.put", asked) == asked


async def test_a_server_without_folders_leaves_the_folder_open():
    assert "folder" not in await completed("sessions.create", {"name": "a"}, root="")


async def test_nobody_names_another_base_url():
    assert (await completed("sessions.create", {"base_url": "/"}))["base_url"] == "/user/ana/"
    assert await completed("sessions.resume", {}) == {"base_url": "/user/ana/"}


async def test_other_requests_pass_as_they_are():
    recorder = Recorder()
    asked = ApiRequest(route=route("sessions.exec"), caller=me("ana"), body=b"not even JSON")
    await RequestDefaults(recorder, "/", "/").dispatch(asked)
    assert recorder.asked == [asked]


async def test_a_body_that_is_no_object_is_refused():
    with pytest.raises(InvalidRequest):
        await RequestDefaults(Recorder(), "/", "/").dispatch(
            ApiRequest(route=route("sessions.create"), body=b"[]")
        )


async def test_a_root_whose_name_is_no_text_is_refused_in_words():
    with pytest.raises(InvalidFields) as caught:
        await completed("sessions.create", {"name": "a"}, root=os.fsdecode(b"/home/b\xfcro"))
    [problem] = caught.value.fields
    assert problem.field == "folder"
    assert "not UTF-8" in problem.message
    problem.message.encode()  # the error itself can be sent
