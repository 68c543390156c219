"""Activity is read from sessions' Jupyter Servers and from a Prometheus; unknown means busy."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import parse_qs

import pytest
from tornado import web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets, bind_unix_socket

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.session_http import ServerConnection
from jupyter_gpuquota.control.signals.presence import Presence
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.session_pods import Outside
from jupyter_gpuquota.kubernetes.signals.prometheus import Prometheus
from jupyter_gpuquota.kubernetes.signals.signals import Fingerprints, KubeSignals
from jupyter_gpuquota.model.sessions import Endpoint
from tests.kubernetes.session_pod import make_pod, make_running
from tests.local.builders import LIMITS

AT = "2026-01-02T03:04:05Z"
SESSION = make_running(gpu="1")
TOKEN = "secret-token"  # noqa: S105 (a test's)


def sample(kind: str, value: str, **labels: str):
    pod = {"namespace": "team-a", "pod": "gpu-exp-1-0"}
    return {"metric": {"gpuquota": kind, **(labels or pod)}, "value": [1.5, value]}


class Fake:
    """A Prometheus, or a Jupyter Server: answers by path, or a status."""

    def __init__(self, **answers) -> None:
        self.answers = answers
        self.asked: list[web.RequestHandler] = []
        self.behind = timedelta()
        """By how much its clock is behind that of the tests."""

    def now(self) -> datetime:
        return datetime.now(UTC) - self.behind

    def application(self) -> web.Application:
        fake = self

        class Handler(web.RequestHandler):
            def get(self) -> None:
                fake.asked.append(self)
                self.set_header("Date", format_datetime(fake.now(), usegmt=True))
                answer = fake.answers.get(self.request.path.rpartition("/")[2], 404)
                if isinstance(answer, int):
                    self.set_status(answer)
                else:
                    self.write(json.dumps(answer))

            def check_xsrf_cookie(self) -> None:
                pass

            post = get

        return web.Application([(".*", Handler)])


@asynccontextmanager
async def served(fake: Fake, path: str = ""):
    server = HTTPServer(fake.application())
    if path:
        server.add_sockets([bind_unix_socket(path)])
        yield path
    else:
        sockets = bind_sockets(0, "127.0.0.1")
        server.add_sockets(sockets)
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    server.stop()
    await server.close_all_connections()


def result(*samples):
    return {"status": "success", "data": {"resultType": "vector", "result": samples}}


async def read(session=SESSION, *, endpoint=None, prometheus=None, phase="Running", outside=None):
    async def locate(_):
        if endpoint is None:
            raise Unavailable("The Secret has no token.")
        return endpoint

    async def no_notebook(session, path):
        return ""

    clock = Clock()
    pod = make_pod(session, phase=phase) if phase else None
    presence, outside = Presence(clock, no_notebook), outside or Outside()
    signals = KubeSignals(locate, lambda _: pod, clock, presence, outside, prometheus)
    found = await signals.read([session], {session.id: LIMITS})
    await signals.close()
    return {reading.name: reading for reading in found[session.id]}


def at(path):
    headers = {"Authorization": f"token {TOKEN}"}
    return Endpoint(host="h", port=8888, base_url="/b/", headers=headers, socket=str(path))


@pytest.mark.parametrize("minutes", [-10, 0, 10])
async def test_the_clock_of_a_node_may_be_wrong(tmp_path, minutes):
    jupyter = Fake()
    jupyter.behind = timedelta(minutes=minutes)
    used = (jupyter.now() - timedelta(minutes=3)).isoformat()
    kernel = {"id": "k", "last_activity": used, "execution_state": "idle"}
    jupyter.answers = {"kernels": [kernel], "terminals": [{"name": "1", "last_activity": used}]}
    async with served(jupyter, str(tmp_path / "socket")) as path:
        found = await read(endpoint=at(path))
        jupyter.answers["kernels"] = [kernel | {"execution_state": "starting"}]
        starting = await read(endpoint=at(path))
    meant = datetime.now(UTC) - timedelta(minutes=3)
    for reading in (found["kernels"], found["terminals"]):
        assert abs(reading.last - meant) < timedelta(seconds=60)
    assert abs(found["kernels"].claimed - meant) < timedelta(seconds=60)
    assert starting["kernels"].state == "busy"


async def test_a_clock_that_runs_as_ours_moves_nothing(tmp_path):
    jupyter = Fake(kernels=[])
    async with served(jupyter, str(tmp_path / "socket")) as path:
        connection = await ServerConnection.open(at(path))
        found = []
        for seconds in (0, 1, 600, 601, 599, 0):
            jupyter.behind = timedelta(seconds=seconds)
            await connection.get("api/kernels")
            found.append(connection.behind)
        connection.close()
    assert found[0] == found[1] == found[5] == timedelta()
    assert found[2] == found[3] == found[4]
    assert abs(found[2] - timedelta(minutes=10)) < timedelta(seconds=9)


async def test_kernels_and_terminals_are_those_of_the_sessions_server(tmp_path):
    kernel = {"id": "k", "last_activity": AT, "execution_state": "idle"}
    jupyter = Fake(kernels=[kernel], terminals=[{"name": "1", "last_activity": AT}])
    async with served(jupyter, str(tmp_path / "socket")) as path:
        found = await read(endpoint=at(path))
        jupyter.answers["kernels"] = [kernel | {"execution_state": "busy"}]
        jupyter.answers["terminals"] = 404
        busy = await read(endpoint=at(path))
        jupyter.answers["terminals"] = []
        none = (await read(endpoint=at(path)))["terminals"]
    assert (none.state, none.detail) == ("idle", "No terminal is open.")
    last = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (found["kernels"].state, found["kernels"].last) == ("idle", last)
    assert (found["terminals"].state, found["terminals"].last) == ("idle", last)
    assert busy["kernels"].state == "busy"
    assert "terminals" not in busy
    assert {handler.request.headers["Authorization"] for handler in jupyter.asked} == {
        f"token {TOKEN}"
    }
    assert all("no_track_activity" in handler.request.uri for handler in jupyter.asked)


async def test_a_server_that_cannot_be_reached_is_unknown(tmp_path):
    for found in (await read(), await read(endpoint=at(tmp_path / "no")), await read(phase="")):
        assert found["kernels"].state == "unknown"
        assert found["kernels"].detail
        assert TOKEN not in found["kernels"].detail


async def test_gpu_use_without_prometheus_is_unknown():
    assert (await read())["gpu"].state == "unknown"
    assert "gpu" not in await read(make_running())


@pytest.mark.parametrize(
    ("gpu", "samples", "state"),
    [
        ("1", [sample("gpu", "0")], "idle"),
        ("1", [sample("gpu", "3"), sample("gpu", "97.5")], "busy"),
        ("0.5", [sample("gpu", "97")], "unknown"),
        ("0.5", [sample("gpu", "0")], "idle"),
        ("1", [sample("gpu", "NaN")], "unknown"),
        ("1", [sample("gpu", "90", namespace="team-b", pod="gpu-exp-1-0")], "unknown"),
        (
            "1",
            [
                sample(
                    "gpu",
                    "88",
                    namespace="monitoring",
                    pod="dcgm-exporter-x",
                    exported_namespace="team-a",
                    exported_pod="gpu-exp-1-0",
                )
            ],
            "busy",
        ),
    ],
)
async def test_gpu_use_is_that_of_the_sessions_pod(gpu, samples, state):
    async with served(Fake(query=result(*samples))) as url:
        found = await read(make_running(gpu=gpu), prometheus=Prometheus(url))
    assert found["gpu"].state == state
    assert found["gpu"].detail


@pytest.mark.parametrize(("gpu", "percent"), [("1", 31), ("0.5", None)])
async def test_the_mean_gpu_use_is_known_of_whole_gpus(gpu, percent):
    answer = result(sample("gpu", "88"), sample("mean", "30.7"))
    async with served(Fake(query=answer)) as url:
        found = await read(make_running(gpu=gpu), prometheus=Prometheus(url))
    assert found["gpu"].percent == percent


async def test_the_cpu_counts_where_it_is_measured():
    async with served(Fake(query=result(sample("cpu", "250.04")))) as url:
        found = await read(prometheus=Prometheus(url))
        assert (found["cpu"].state, found["cpu"].detail[:5]) == ("busy", "250.0")
    async with served(Fake(query=result())) as url:
        assert "cpu" not in await read(prometheus=Prometheus(url))


@pytest.mark.parametrize(
    ("measured", "state"),
    [
        ({"disk": "4.2"}, "idle"),
        ({"disk": "136"}, "busy"),
        ({"disk": "0", "received": "19000"}, "idle"),  # pages that poll
        ({"disk": "0", "received": "200000"}, "busy"),
        ({"received": "200000"}, "busy"),
    ],
)
async def test_bytes_count_where_they_are_measured_but_not_those_of_pages(measured, state):
    found = result(*(sample(kind, value) for kind, value in measured.items()))
    async with served(Fake(query=found)) as url:
        assert (await read(prometheus=Prometheus(url)))["io"].state == state


async def test_a_pod_whose_bytes_are_not_measured_has_no_signal_of_them():
    async with served(Fake(query=result(sample("cpu", "1")))) as url:
        assert "io" not in await read(prometheus=Prometheus(url))


async def test_a_cell_that_asks_and_a_program_that_redraws_its_screen_are_no_work(tmp_path):
    old, now = (datetime.now(UTC) - timedelta(hours=1)).isoformat(), datetime.now(UTC).isoformat()
    kernel = {"id": "k", "last_activity": old, "execution_state": "busy", "waits_for_input": True}
    top = {"name": "1", "last_activity": now, "last_typed": old, "last_printed": now}
    top["takes_keys"] = True
    async with served(Fake(kernels=[kernel], terminals=[top]), str(tmp_path / "socket")) as path:
        found = await read(endpoint=at(path))
    for name in ("kernels", "terminals"):
        assert found[name].state == "idle"
        assert datetime.now(UTC) - found[name].last > timedelta(minutes=59)
    assert found["kernels"].detail == "A cell waits for input."


async def test_one_query_serves_all_sessions_with_the_token_in_a_header(tmp_path):
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    fake = Fake(query=result(sample("gpu", "10"), sample("gpu", "25")))
    async with served(fake) as url:
        prometheus = Prometheus(url, token_file=str(token))
        found = await prometheus.read()
        token.write_text("renewed")
        await prometheus.read()
        prometheus.close()
    assert found["team-a", "gpu-exp-1-0"].gpu == 25
    assert [ask.request.headers["Authorization"] for ask in fake.asked] == [
        f"Bearer {TOKEN}",
        "Bearer renewed",
    ]
    assert TOKEN not in fake.asked[0].request.uri
    text = parse_qs(fake.asked[0].request.body.decode())["query"][0]
    assert text.count("(") == text.count(")")
    assert "exported_pod" in text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": "error", "error": "parse error"}, "parse error"),
        (503, "status 503"),
        (302, "status 302"),
        ({"data": 1}, "Prometheus cannot be asked"),
    ],
)
async def test_a_prometheus_without_an_answer_makes_gpu_use_unknown(answer, words):
    async with served(Fake(query=answer)) as url:
        found = await read(prometheus=Prometheus(url))
    assert found["gpu"].state == "unknown"
    assert words in found["gpu"].detail


async def test_a_prometheus_that_is_not_there_is_named(tmp_path):
    found = await read(prometheus=Prometheus("http://127.0.0.1:9", seconds=5))
    assert "Prometheus cannot be asked" in found["gpu"].detail
    absent = Prometheus("http://127.0.0.1:9", token_file=str(tmp_path / "no"))
    assert "No such file" in (await read(prometheus=absent))["gpu"].detail


@pytest.mark.parametrize(
    ("phase", "state"),
    [("Running", "busy"), ("Succeeded", "idle"), ("Failed", "idle"), ("", "unknown")],
)
async def test_a_training_is_busy_while_its_pod_runs(phase, state):
    session = make_running(kind="train", command=("python", "train.py"))
    found = await read(session, phase=phase)
    assert found["process"].state == state
    assert "kernels" not in found


async def test_the_sources_of_a_notebook_are_told_from_its_output(tmp_path):
    def notebook(source: str, output: str):
        cell = {"cell_type": "code", "source": source, "outputs": [output]}
        return {"type": "notebook", "content": {"cells": [cell]}}

    jupyter = Fake()
    async with served(jupyter, str(tmp_path / "socket")) as path:

        async def locate(_):
            return at(path)

        prints = Fingerprints(locate)
        seen = []
        for source, output in (("a", "1"), ("a", "2"), ("b", "2")):
            jupyter.answers["my%20work.ipynb"] = notebook(source, output)
            seen.append(await prints(SESSION, "deep/my work.ipynb"))
        assert await prints(SESSION, "gone.ipynb") == ""
    assert seen[0] == seen[1] != seen[2]
    assert seen[0]
    assert await Fingerprints(locate)(SESSION, "my work.ipynb") == ""


async def test_programs_and_terminals_from_outside_are_use(tmp_path):
    jupyter, outside = Fake(kernels=[]), Outside()
    async with served(jupyter, str(tmp_path / "socket")) as path:
        with outside.program(SESSION.id):
            running = await read(endpoint=at(path), outside=outside)
        ended = await read(endpoint=at(path), outside=outside)
    assert running["terminals"].state == "busy"
    assert (ended["terminals"].state, ended["terminals"].last) == ("idle", outside.last(SESSION.id))
    outside.keep_only([])
    assert outside.last(SESSION.id) is None
