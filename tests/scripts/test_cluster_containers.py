"""What a container of the test cluster is as a process of this machine."""

from __future__ import annotations

import base64

import pytest

from scripts.cluster.kubelet import containers
from scripts.cluster.kubelet.status import ContainerState, pod_status, restarts, terminated

CONTENT = {
    ("Secret", "keys"): {"api": b"s3cret", "config.json": b'{"port": 8888, "dir": "/home/me"}'},
    ("ConfigMap", "settings"): {"LEVEL": b"3"},
}


def lookup(kind, name):
    return CONTENT[kind, name]


def pod(**container):
    return {
        "metadata": {"name": "exp-0", "namespace": "team-a", "labels": {}},
        "spec": {
            "nodeName": "dgx1-1",
            "containers": [{"name": "session", "image": "i", **container}],
            "volumes": [
                {"name": "home", "persistentVolumeClaim": {"claimName": "home"}},
                {"name": "config", "secret": {"secretName": "keys"}},
                {"name": "one", "projected": {"sources": [PROJECTED]}},
                {"name": "scratch", "emptyDir": {}},
            ],
        },
    }


PROJECTED = {"secret": {"name": "keys", "items": [{"key": "api", "path": "a/key"}]}}
MOUNTS = [
    {"name": "home", "mountPath": "/home/me/"},
    {"name": "home", "mountPath": "/data", "subPath": "data"},
    {"name": "config", "mountPath": "/etc/jupyter"},
    {"name": "scratch", "mountPath": "/home/me/scratch"},
]


@pytest.fixture
def translation(tmp_path):
    made = pod(volumeMounts=MOUNTS)
    claims, root = tmp_path / "claims", tmp_path / "uid"
    folders = containers.mounts(made, made["spec"]["containers"][0], root, claims)
    return containers.Translation({8888: 34567}, folders)


def test_a_claim_is_the_same_folder_in_every_pod(translation, tmp_path):
    home = tmp_path / "claims" / "team-a" / "home"
    assert translation.folders == {
        "/home/me": home,
        "/data": home / "data",
        "/etc/jupyter": tmp_path / "uid" / "volumes" / "config",
        "/home/me/scratch": tmp_path / "uid" / "volumes" / "scratch",
    }


@pytest.mark.parametrize(
    ("inside", "here"),
    [
        ("--port=8888", "--port=34567"),
        ("18888 8888.5 88880", "18888 8888.5 88880"),
        ("--ip=0.0.0.0", "--ip=127.0.0.1"),
        ("10.0.0.0.0", "10.0.0.0.0"),
        ("/home/mean /home/me-too x/home/me", "/home/mean /home/me-too x/home/me"),
        ("--dir=/home/me:/home/me/a", "--dir={home}:{home}/a"),
        ("/home/me/scratch/b", "{scratch}/b"),
    ],
)
def test_texts_are_translated(translation, inside, here):
    places = {"home": translation.folders["/home/me"]}
    places["scratch"] = translation.folders["/home/me/scratch"]
    assert translation.text(inside) == here.format(**places)


def test_files_of_secrets_are_written_for_us_alone(translation, tmp_path):
    containers.write_files(pod(), tmp_path / "uid", lookup, translation)
    config = tmp_path / "uid" / "volumes" / "config" / "config.json"
    home = translation.folders["/home/me"]
    assert config.read_text() == f'{{"port": 34567, "dir": "{home}"}}'
    assert config.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "uid" / "volumes" / "one" / "a" / "key").read_text() == "s3cret"


def test_variables_come_from_everywhere():
    made = pod(
        envFrom=[{"configMapRef": {"name": "settings"}, "prefix": "APP_"}],
        env=[
            {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "api"}}},
            {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            {"name": "ALL", "value": "$(KEY) $(NOBODY) $$(KEY) $$5"},
            {"name": "EMPTY"},
        ],
    )
    found = containers.environment(made, made["spec"]["containers"][0], lookup)
    assert found == {
        "APP_LEVEL": "3",
        "KEY": "s3cret",
        "NODE": "dgx1-1",
        "ALL": "s3cret $(NOBODY) $(KEY) $5",
        "EMPTY": "",
    }


def test_a_missing_secret_is_an_error():
    made = pod(env=[{"name": "K", "valueFrom": {"secretKeyRef": {"name": "no", "key": "k"}}}])
    with pytest.raises(KeyError):
        containers.environment(made, made["spec"]["containers"][0], lookup)


def test_the_program(translation, tmp_path):
    container = {"command": ["jupyter"], "args": ["--port=8888", "$(A)"], "workingDir": "/home/me"}
    root = tmp_path / "uid"
    program = containers.program(container, {"A": "/data"}, translation, root)
    home = translation.folders["/home/me"]
    assert program.command == ["jupyter", "--port=34567", f"{home}/data"]
    assert program.environment == {"A": f"{home}/data"}
    assert program.folder == home
    elsewhere = containers.program({"workingDir": "/opt"}, {}, translation, root)
    assert elsewhere.folder == root / "work"
    assert elsewhere.command == ["jupyter", "server"]


def test_secrets_are_decoded_and_config_maps_are_not():
    data = {"a": base64.b64encode(b"x").decode()}
    assert containers.decoded({"kind": "Secret", "data": data}) == {"a": b"x"}
    assert containers.decoded({"kind": "ConfigMap", "data": {"a": "x"}}) == {"a": b"x"}


@pytest.mark.parametrize(
    ("policy", "code", "again"),
    [
        ("Always", 0, True),
        ("Always", 1, True),
        ("OnFailure", 0, False),
        ("OnFailure", 1, True),
        ("Never", 1, False),
    ],
)
def test_restart_policies(policy, code, again):
    assert restarts(policy, code) is again


def test_a_pod_is_ready_when_all_of_it_is():
    containers_ = [ContainerState("a", "i", ready=True), ContainerState("b", "i")]
    status = pod_status(containers_, "Running", "198.19.0.1", "now")
    assert {one["type"]: one["status"] for one in status["conditions"]} == {
        "Initialized": "True",
        "ContainersReady": "False",
        "Ready": "False",
    }


def test_a_state_replaces_the_one_before():
    state = ContainerState("a", "i", state=terminated(3, "then")).as_json()["state"]
    assert state["terminated"]["exitCode"] == 3
    assert state["waiting"] is None
    assert state["running"] is None
