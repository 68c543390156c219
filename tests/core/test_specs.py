"""A request is checked once, and all its errors are reported together."""

from __future__ import annotations

import shlex
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.idle.policy import NO_POLICY
from jupyter_gpuquota.core.requests.mounts import VolumeFacts
from jupyter_gpuquota.core.requests.specs import Facts, check, check_resized, resized
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.environments import Environment
from jupyter_gpuquota.model.policy import PolicyLevel, PolicyRules
from jupyter_gpuquota.model.resources import Node, Share
from jupyter_gpuquota.model.rightsizing import ResizeRequest
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.model.volumes.volumes import Volume
from tests.builders import make_mig_device, make_node, make_place, make_project

BROKEN = Environment(id="b", label="b", prefix="/b", python="/b/bin/python", problem="No Jupyter.")


def facts(**fields: Any) -> Facts:
    defaults = {"projects": [make_project()], "nodes": [make_node()], "place": make_place()}
    return Facts(**{**defaults, **fields})


def fields_of(known: Facts | None = None, **request: Any) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        check(SessionRequest(**{"name": "exp-1", **request}), known or facts())
    return {problem.field: problem.message for problem in caught.value.fields}


def test_a_good_request_becomes_a_spec() -> None:
    spec = check(SessionRequest(name="exp-1", gpu="0.5", ports=(6006,)), facts())
    assert (spec.project, spec.share, spec.environment) == ("team-a", Share(milli=500), "/env")
    assert (spec.folder, spec.ports, spec.serves_jupyter) == ("/work", (6006,), True)


@pytest.mark.parametrize(
    "name", ["", "two words", "a/b", "../x", "x" * 300, "🚀", "-x", "x-", "A", "a.b", "a\n", "a_b"]
)
def test_a_bad_name_is_refused(name: str) -> None:
    assert list(fields_of(name=name)) == ["name"]


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"project": "nobody"}, "project"),
        ({"kind": "batch"}, "kind"),
        ({"gpu": "9"}, "gpu"),
        ({"gpu": "5"}, "gpu"),
        ({"gpu_memory": "33Gi"}, "gpu_memory"),
        ({"mig_profile": "7g.80gb"}, "mig_profile"),
        ({"ports": (0,)}, "ports[0]"),
        ({"ports": (6006, 70000)}, "ports[1]"),
        ({"ports": (80,)}, "ports[0]"),
        ({"ports": (6006, 6006)}, "ports[1]"),
        ({"env": {"A B": "x"}}, "env.A B"),
        ({"env": {"CUDA_VISIBLE_DEVICES": "0"}}, "env.CUDA_VISIBLE_DEVICES"),
        ({"env": {"JUPYTER_TOKEN": "x"}}, "env.JUPYTER_TOKEN"),
        ({"env": {"JUPYTER_TOKEN_FILE": "x"}}, "env.JUPYTER_TOKEN_FILE"),
        ({"env": {"A": "\0"}}, "env.A"),
        ({"command": ("",)}, "command"),
        ({"kind": "train"}, "command"),
        ({"kind": "train", "args": ("--lr", "1")}, "command"),
        ({"args": ("\0",)}, "args"),
        ({"priority": 101}, "priority"),
    ],
)
def test_a_bad_value_is_refused_at_its_field(request_: dict[str, Any], field: str) -> None:
    assert list(fields_of(**request_)) == [field]


@pytest.mark.parametrize(
    ("project", "message"),
    [
        ("team-v", "You may view team-v, but not launch in it."),
        ("nobody", "No access to project nobody."),
        ("", "You cannot launch in any project."),
    ],
)
def test_a_viewer_is_told_what_they_may(project: str, message: str) -> None:
    said = fields_of(facts(projects=[], watched=("team-v",)), project=project)
    assert said == {"project": message}


def test_an_image_stands_for_a_prefix_and_stays_when_the_share_changes() -> None:
    image = Environment(id="torch", label="torch", image="ghcr.io/team/torch:2")
    spec = check(SessionRequest(name="x"), facts(place=make_place(environment=image)))
    assert (spec.environment, spec.image) == ("", "ghcr.io/team/torch:2")
    assert resized(spec, ResizeRequest(gpu="1")).environment == spec.image


def usable(name: str) -> Volume:
    return Volume(name=name, project="team-a", actions=("mount",))


def test_a_resize_adds_volumes_and_keeps_the_share() -> None:
    volumes = VolumeFacts(volumes=tuple(map(usable, ("notes", "scans"))))
    known = facts(volumes=volumes)
    spec = check(SessionRequest(name="x", gpu="0.5", volumes=("notes:/notes",)), known)
    more = check_resized(spec, ResizeRequest(volumes=("scans:/scans:ro",)), known)
    assert more.share == spec.share
    assert [(each.volume, each.path) for each in more.mounts] == [
        ("notes", "/notes"),
        ("scans", "/scans"),
    ]
    both = check_resized(spec, ResizeRequest(gpu="1", volumes=("scans:/scans",)), known)
    assert (both.share, len(both.mounts)) == (Share(milli=1000), 2)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (ResizeRequest(volumes=("lacking:/there",)), "volumes[0]"),
        (ResizeRequest(volumes=(":1Gi:/new",)), "volumes[0]"),
        (ResizeRequest(volumes=("scans:/notes",)), "volumes[1]"),
        (ResizeRequest(gpu_compute="20", volumes=("scans:/scans",)), "gpu"),
        (ResizeRequest(), "gpu"),
    ],
)
def test_what_a_resize_cannot_mount_is_refused(asked: ResizeRequest, field: str) -> None:
    known = facts(volumes=VolumeFacts(volumes=tuple(map(usable, ("notes", "scans")))))
    spec = check(SessionRequest(name="x", gpu="0.5", volumes=("notes:/notes",)), known)
    with pytest.raises(InvalidFields) as caught:
        check_resized(spec, asked, known)
    assert [each.field for each in caught.value.fields] == [field]


def test_the_environment_must_exist_and_serve_jupyter() -> None:
    assert list(fields_of(facts(place=make_place(environment=None)))) == ["environment"]
    refused = facts(place=make_place(environment=None, environment_problem="No images here."))
    assert fields_of(refused) == {"environment": "No images here."}
    broken = facts(place=make_place(environment=BROKEN))
    assert fields_of(broken) == {"environment": "No Jupyter."}
    assert check(SessionRequest(name="x", command=("sleep", "1")), broken).environment == "/b"


def test_the_folder_must_be_usable() -> None:
    assert fields_of(facts(place=make_place(folder_problem="Not yours."))) == {
        "folder": "Not yours."
    }


def test_a_machine_without_gpus_says_so() -> None:
    assert fields_of(facts(nodes=[]), gpu="0.5") == {"gpu": "No GPUs are available."}
    assert check(SessionRequest(name="x"), facts(nodes=[])).share == Share()


def test_a_mig_machine_offers_its_profiles() -> None:
    machine = [Node(name="n1", devices=(make_mig_device(),))]
    spec = check(SessionRequest(name="x", mig_profile="2g.10gb"), facts(nodes=machine))
    assert spec.share.mig == "2g.10gb"
    assert list(fields_of(facts(nodes=machine), gpu="0.5")) == ["gpu"]


@pytest.mark.parametrize(("gpu", "around"), [("1.5", "1 or 2"), ("2.001", "2 or 3")])
def test_parts_of_several_gpus_are_refused_with_the_whole_numbers_around_them(
    gpu: str, around: str
) -> None:
    said = f"Above 1, only whole GPUs are possible: enter {around}."
    assert fields_of(facts(), gpu=gpu) == {"gpu": said}


def test_every_broken_field_is_reported_together() -> None:
    problems = fields_of(
        name="a b", project="nobody", gpu="0", gpu_compute="33", ports=(0, 70000), priority=-1
    )
    assert set(problems) == {
        *("name", "project", "gpu", "gpu_compute", "ports[0]", "ports[1]", "priority")
    }


@given(st.text(max_size=80))
def test_any_name_is_safe_or_refused(name: str) -> None:
    try:
        spec = check(SessionRequest(name=name), facts())
    except InvalidFields as error:
        problems = [problem.field for problem in error.fields]
    else:
        problems = ["name"]
        assert spec.name == name
        assert spec.name.isascii()
        assert not set(spec.name) & set("/\\. \0\n")
    assert problems == ["name"]


def policed(**rules: Any) -> Facts:
    level = PolicyLevel(level="everyone", rules=PolicyRules(**rules))
    return facts(policy=msgspec.structs.replace(NO_POLICY, levels=(level,)))


@pytest.mark.parametrize(
    ("wish", "seconds"), [("", None), ("0", 0), ("90m", 5400), ("7200", 7200), (600, 600)]
)
def test_a_wish_for_an_idle_timeout_is_kept(wish: str | int, seconds: int | None) -> None:
    spec = check(SessionRequest(name="exp-1", idle_timeout=wish), facts())
    assert spec.idle_timeout == seconds


@pytest.mark.parametrize("wish", ["soon", "-1", "1.5", "9999d", "1h 2", "\0"])
def test_a_wish_that_is_no_time_is_refused(wish: str) -> None:
    assert list(fields_of(idle_timeout=wish)) == ["idle_timeout"]


@pytest.mark.parametrize(
    ("rules", "wish", "said"),
    [
        ({}, "30", "Below the minimum set by the default policy."),
        (
            {"idle_timeout_min": 600},
            "5m",
            "Below the minimum set by everyone's policy.",
        ),
        (
            {"warn_before": 1200},
            "15m",
            "Shorter than the warning period set by everyone's policy.",
        ),
        (
            {"idle_timeout_max": 7200},
            "3h",
            "Above the maximum set by everyone's policy.",
        ),
        (
            {"idle_timeout": 3600},
            "0",
            "Above the maximum set by everyone's policy.",
        ),
    ],
)
def test_a_wish_beyond_the_policy_is_refused_with_its_level(
    rules: dict[str, Any], wish: str, said: str
) -> None:
    assert fields_of(policed(**rules), idle_timeout=wish) == {"idle_timeout": said}


def test_a_wish_within_the_policy_is_taken() -> None:
    known = policed(idle_timeout=3600, idle_timeout_min=600, idle_timeout_max=7200)
    for wish in ("10m", "2h"):
        check(SessionRequest(name="exp-1", idle_timeout=wish), known)
    check(SessionRequest(name="exp-1", idle_timeout="5m"), policed(idle_timeout=3600))


def test_who_may_launch_nowhere_is_told_the_right() -> None:
    with pytest.raises(InvalidFields) as caught:
        check(SessionRequest(name="x"), facts(projects=[], right="create statefulsets"))
    (problem,) = caught.value.fields
    assert problem.message == "You cannot launch in any project."
    assert problem.hint == "It needs the right to create statefulsets, in its namespace."


def test_a_right_that_launching_needs_is_named() -> None:
    known = facts(right="create statefulsets")
    with pytest.raises(InvalidFields) as caught:
        check(SessionRequest(name="exp-1", project="team-b"), known)
    [problem] = caught.value.fields
    assert (problem.field, problem.message) == ("project", "You may not launch in team-b.")
    assert problem.hint == "It needs the right to create statefulsets in team-b."


@pytest.mark.parametrize(
    "word",
    [
        "--ip=0.0.0.0",
        "--port=1",
        "--port",
        "--sock=/tmp/s",
        "--ServerApp.ip=*",
        "--ServerApp.base_url=/",
        "--LabApp.base_url=/",
        "--ServerApp.root_dir=/",
        "--notebook-dir=/",
        "--IdentityProvider.token=",
        "--PasswordIdentityProvider.hashed_password=x",
        "--ServerApp.token=",
        "--NotebookApp.token=",
        "--ServerApp.identity_provider_class=x",
        "--ServerApp.certfile=x",
    ],
)
def test_how_it_is_reached_and_protected_is_not_the_users_to_say(word: str) -> None:
    found = fields_of(args=("--debug", word))
    assert list(found) == ["args[1]"]
    assert word.partition("=")[0] in found["args[1]"]


@pytest.mark.parametrize("word", ["--debug", "--ServerApp.log_level=10", "--LabApp.collaborative"])
def test_other_arguments_are_the_users(word: str) -> None:
    assert check(SessionRequest(name="x", args=(word,)), facts()).args == (word,)
    program = SessionRequest(name="x", command=("serve",), args=("--port=1",))
    assert check(program, facts()).args == ("--port=1",)


@pytest.mark.parametrize(
    ("command", "operator", "shell"),
    [
        ("sleep 60 && echo hi", "&&", "bash -c 'sleep 60 && echo hi'"),
        ("python train.py > out.txt", ">", "bash -c 'python train.py > out.txt'"),
        ("python train.py 2>&1", "2>&1", "bash -c 'python train.py 2>&1'"),
        ("cd src; python train.py", "src;", "bash -c 'cd src; python train.py'"),
        ("cat 'my file' | wc", "|", """bash -c 'cat '"'"'my file'"'"' | wc'"""),
    ],
)
def test_a_line_for_a_shell_is_recognised(command: str, operator: str, shell: str) -> None:
    with pytest.raises(InvalidFields) as caught:
        check(SessionRequest(name="x", command=tuple(shlex.split(command))), facts())
    [problem] = caught.value.fields
    assert (problem.field, problem.key) == ("command", "command.operator")
    assert operator in problem.message
    assert shell in problem.hint
    assert check(SessionRequest(name="x", command=tuple(shlex.split(shell))), facts())


@pytest.mark.parametrize(
    "command",
    ["bash -c 'ls; exit'", "find . -exec rm {} ;", "python -c 'print(1);'", "grep a|b", "x <pad>"],
)
def test_words_that_only_look_like_it_are_arguments(command: str) -> None:
    assert check(SessionRequest(name="x", command=tuple(shlex.split(command))), facts())
