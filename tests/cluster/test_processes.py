"""Pods that are real processes: their log, shell and ports are those of the process."""

from __future__ import annotations

import json

import pytest

from jupyter_gpuquota.kubernetes.ingress.port_forward import PodConnection
from jupyter_gpuquota.kubernetes.programs.pod_program import run
from jupyter_gpuquota.kubernetes.resources import PODS
from jupyter_gpuquota.model.programs import ExecRequest
from scripts.cluster.labels import FORWARD
from scripts.cluster.rest import Refused
from scripts.cluster.setup import wait_for
from tests.cluster.workloads import RESTRICTED, secret, service, stateful_set

SERVE = """
import http.server, json, os, pathlib
pathlib.Path("/home/jovyan/work/file").write_text("kept")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        token = pathlib.Path("/etc/gpuquota/token").read_text()
        given = self.headers.get("Authorization", "token " + self.path.partition("token=")[2])
        body = json.dumps({"same": token == os.environ["TOKEN"]}).encode()
        self.send_response(200 if given == f"token {token}" else 403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
print("it is running", flush=True)
http.server.ThreadingHTTPServer(("0.0.0.0", 8888), Handler).serve_forever()
"""
CONTAINER = {
    "ports": [{"name": "http", "containerPort": 8888}],
    "readinessProbe": {
        "httpGet": {
            "path": "/api/status",
            "port": "http",
            "httpHeaders": [{"name": "Authorization", "value": "token jt"}],
        }
    },
    "volumeMounts": [
        {"name": "config", "mountPath": "/etc/gpuquota", "readOnly": True},
        {"name": "work", "mountPath": "/home/jovyan/work"},
    ],
    "env": [
        {
            "name": "TOKEN",
            "valueFrom": {"secretKeyRef": {"name": "server", "key": "token"}},
        }
    ],
}


def server(team):
    command = ["python", "-c", SERVE]
    made = stateful_set(team, "server", {}, command=command, **CONTAINER)
    made["spec"]["template"]["spec"]["volumes"] = [
        {"name": "config", "secret": {"secretName": "server"}},
        {"name": "work", "emptyDir": {}},
    ]
    return made


def pod(team, *command, name="pod", restart="Never", image="any"):
    container = {"name": "session", "image": image, "command": [*command]}
    container["securityContext"] = dict(RESTRICTED)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": team.namespace},
        "spec": {"restartPolicy": restart, "containers": [container]},
    }


@pytest.fixture
def team(kubelet, teams):
    return teams.plain("team-a", processes=True)


@pytest.fixture
def alice(kubelet):
    return kubelet.rest("alice")


def state(rest, team, name="pod"):
    found = rest.get(f"/api/v1/namespaces/{team.namespace}/pods/{name}")
    return found["status"], (found["status"].get("containerStatuses") or [{}])[0]


def is_ready(rest, team, name):
    return state(rest, team, name)[1].get("ready")


def test_a_server_answers_through_the_api_server(kubelet, alice, team):
    alice.create(secret(team, "server", token="jt"))  # noqa: S106 (a test's)
    alice.create(service(team, "server", 8888))
    alice.create(server(team))
    path = f"/api/v1/namespaces/{team.namespace}"
    wait_for(lambda: is_ready(alice, team, "server-0"), "the server is ready")
    for way in ("pods/server-0:8888", "services/server:http"):
        answer = kubelet.rest().get(f"{path}/{way}/proxy/api/status", token="jt")  # noqa: S106 (a test's)
        assert answer["same"]
        with pytest.raises(Refused, match="403"):
            kubelet.rest().get(f"{path}/{way}/proxy/api/status", token="wrong")  # noqa: S106 (a test's)
    log = alice.request("GET", f"{path}/pods/server-0/log?tailLines=200").decode()
    assert "it is running" in log
    found = alice.get(f"{path}/pods/server-0")
    assert found["metadata"]["annotations"][FORWARD].startswith("8888=")


ECHO = """
import socketserver, sys
class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line.upper())
socketserver.TCPServer(("0.0.0.0", 9000), Echo).serve_forever()
"""


@pytest.fixture
def echo(alice, team):
    """A pod that answers lines in capitals on port 9000."""
    made = pod(team, "python", "-c", ECHO, name="echo")
    container = made["spec"]["containers"][0]
    container["ports"] = [{"containerPort": 9000}]
    container["env"] = [{"name": "GREETING", "value": "$(NOBODY) $$5"}]
    alice.create(made)
    wait_for(lambda: is_ready(alice, team, "echo"), "the server is ready")
    return team.namespace, "echo"


async def test_a_command_runs_in_a_pod(connected, echo):
    command = ["sh", "-c", "echo $GREETING; exit 3"]
    async with connected("alice") as api:
        request = ExecRequest(command=command)
        found = [part async for part in run(api, await api.get(PODS, *echo), request)]
    assert b"".join(part for part in found if isinstance(part, bytes)) == b"$(NOBODY) $5\n"
    assert found[-1].exit_code == 3


async def test_a_port_is_forwarded(connected, echo):
    async with connected("alice") as api:
        connection = await PodConnection.open(api, await api.get(PODS, *echo), 9000)
        await connection.write(b"hello\n")
        assert await connection.read() == b"HELLO\n"
        await connection.close()


def test_a_pod_that_ends_has_its_code_and_log(alice, team):
    made = pod(team, "sh", "-c", "echo out; echo err >&2; exit 3")
    made["spec"]["containers"][0]["terminationMessagePolicy"] = "FallbackToLogsOnError"
    alice.create(made)
    wait_for(lambda: state(alice, team)[0]["phase"] == "Failed", "it has ended")
    ended = state(alice, team)[1]["state"]["terminated"]
    assert (ended["exitCode"], sorted(ended["message"].split())) == (3, ["err", "out"])
    log = alice.request("GET", f"/api/v1/namespaces/{team.namespace}/pods/pod/log").decode()
    assert sorted(log.split()) == ["err", "out"]


def test_a_crash_loop_is_one(alice, team):
    alice.create(pod(team, "sh", "-c", "echo no such file; exit 1", restart="Always"))
    path = f"/api/v1/namespaces/{team.namespace}/pods/pod/log"

    def loops():
        _, container = state(alice, team)
        reason = container.get("state", {}).get("waiting", {}).get("reason")
        return reason == "CrashLoopBackOff" and container["restartCount"] >= 1

    wait_for(loops, "it crashes again and again")
    assert "no such file" in alice.request("GET", f"{path}?previous=true").decode()


def test_an_image_that_is_not_there(alice, team):
    alice.create(pod(team, "true", image="missing.test/x:1"))

    def reason():
        _, container = state(alice, team)
        return container.get("state", {}).get("waiting", {}).get("reason")

    wait_for(lambda: reason() == "ImagePullBackOff", "the image is missing")
    events = alice.get(f"/api/v1/namespaces/{team.namespace}/events")["items"]
    assert any("missing.test/x:1" in event["message"] for event in events)


def test_deleting_a_pod_ends_its_process_gently(alice, team, tmp_path):
    mark = tmp_path / "ended"
    trap = f"trap 'sleep 0.5; echo term > {mark}; exit' TERM"
    script = f"{trap}; echo ready; while :; do sleep 0.1; done"
    alice.create(pod(team, "sh", "-c", script))
    path = f"/api/v1/namespaces/{team.namespace}/pods/pod"
    wait_for(lambda: is_ready(alice, team, "pod"), "it runs")
    wait_for(lambda: b"ready" in alice.request("GET", f"{path}/log"), "it has set its trap")
    alice.delete(path)
    assert "deletionTimestamp" in alice.get(path)["metadata"]

    def gone():
        try:
            return alice.get(path) is None
        except Refused as error:
            return error.status == 404

    wait_for(gone, "the pod is gone")
    assert mark.read_text() == "term\n"


def test_files_in_a_claim_outlive_a_pod(alice, team):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    claim["metadata"] = {"name": "home", "namespace": team.namespace}
    resources = {"requests": {"storage": "1Gi"}}
    alice.create({**claim, "spec": {"accessModes": ["ReadWriteOnce"], "resources": resources}})
    for name, command in (("one", "echo kept > /home/me/file"), ("two", "cat /home/me/file")):
        made = pod(team, "sh", "-c", command, name=name)
        volume = {"name": "home", "persistentVolumeClaim": {"claimName": "home"}}
        made["spec"]["volumes"] = [volume]
        mount = {"name": "home", "mountPath": "/home/me"}
        made["spec"]["containers"][0]["volumeMounts"] = [mount]
        alice.create(made)
        wait_for(
            lambda name=name: state(alice, team, name)[0]["phase"] == "Succeeded", f"{name} ended"
        )
    path = f"/api/v1/namespaces/{team.namespace}/pods/two/log"
    assert alice.request("GET", path) == b"kept\n"


def test_what_a_pod_needs_must_exist(alice, team):
    made = pod(team, "true")
    reference = {"secretKeyRef": {"name": "nothing", "key": "token"}}
    made["spec"]["containers"][0]["env"] = [{"name": "TOKEN", "valueFrom": reference}]
    alice.create(made)

    def reason():
        return json.dumps(state(alice, team)[1].get("state", {}))

    wait_for(lambda: "CreateContainerConfigError" in reason(), "it is said")
