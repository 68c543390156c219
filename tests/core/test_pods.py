"""The options of a container: read, checked, and asked for again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.core.fields import FieldReader
from jupyter_gpuquota.core.requests.mounts import VolumeFacts, mount_text, read_mounts
from jupyter_gpuquota.core.requests.pods import options_asked, read_options
from jupyter_gpuquota.core.requests.specs import Facts, asked_again, check
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.pods import (
    ContainerRules,
    PodOptions,
    PodRequest,
    SecretKey,
    Toleration,
)
from jupyter_gpuquota.model.sessions import SessionRequest, SessionSpec
from jupyter_gpuquota.model.volumes.mounts import Mount
from tests.builders import make_node, make_place, make_project

MOUNT = "Use NAME:/path[:ro] or CLASS:SIZE:/path."
RULES = ContainerRules(
    host_paths=("/scratch",),
    reserved=("/home/jovyan",),
    name_limit=48,
    secrets="gpu-*",
    claims="home-*",
)

EVERYTHING: dict[str, Any] = {
    "cpu": "1.5",
    "cpu_limit": "4",
    "memory": "8Gi",
    "memory_limit": 16_384,
    "large_shm": True,
    "tolerations": ("gpu", "team=a", "example.org/spot=true:NoSchedule", "x:NoExecute"),
    "pull_secrets": ("registry",),
    "pull_policy": "IfNotPresent",
    "service_account": "data-reader",
    "run_as": "1000:100",
    "secret_env": {"API_KEY": "keys/api.key"},
    "volumes": ("data:/data:ro", "work-ana:/home/jovyan/work", "/scratch/a:/scratch"),
}


def checked(rules: ContainerRules | None = RULES, **request: Any) -> SessionSpec:
    known = Facts(
        projects=[make_project()], nodes=[make_node()], place=make_place(), containers=rules
    )
    return check(SessionRequest(**{"name": "exp-1", **request}), known)


def wrong(rules: ContainerRules | None = RULES, **request: Any) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        checked(rules, **request)
    return {field.field: f"{field.message} {field.hint}".strip() for field in caught.value.fields}


def test_all_options_become_checked_values() -> None:
    assert checked(**EVERYTHING).pod == PodOptions(
        cpu=1500,
        cpu_limit=4000,
        memory=8192,
        memory_limit=16_384,
        large_shm=True,
        tolerations=(
            Toleration(key="gpu"),
            Toleration(key="team", value="a"),
            Toleration(key="example.org/spot", value="true", effect="NoSchedule"),
            Toleration(key="x", effect="NoExecute"),
        ),
        pull_secrets=("registry",),
        pull_policy="IfNotPresent",
        service_account="data-reader",
        run_as_user=1000,
        run_as_group=100,
        secret_env={"API_KEY": SecretKey(secret="keys", key="api.key")},  # noqa: S106 (a name)
    )
    assert checked(**EVERYTHING).volumes == (
        Mount(volume="data", path="/data", read_only=True),
        Mount(volume="work-ana", path="/home/jovyan/work"),
        Mount(host_path="/scratch/a", path="/scratch"),
    )


def test_without_options_there_is_nothing_to_record() -> None:
    assert checked().pod is None
    assert checked(None).pod is None


def test_a_request_made_again_is_the_same() -> None:
    spec = checked(**EVERYTHING)
    again = asked_again(spec)
    assert (
        check(
            again,
            Facts([make_project()], [make_node()], make_place(), containers=RULES),
        ).pod
        == spec.pod
    )


def test_sessions_that_are_processes_refuse_each_used_option() -> None:
    found = wrong(None, **EVERYTHING)
    assert set(found) == {*PodRequest.__struct_fields__, "volumes"} == set(EVERYTHING)
    assert set(found.values()) == {
        "Sessions of this backend are processes, not containers. Leave it empty."
    }


@pytest.mark.parametrize(
    ("request_", "field", "text"),
    [
        ({"cpu": "two"}, "cpu", "'two' is not valid. Use 0.5, 2 or 500m."),
        ({"cpu": "-1"}, "cpu", "'-1' is not valid. Use 0.5, 2 or 500m."),
        ({"cpu": "0.0001"}, "cpu", "'0.0001' is not valid. Use 0.5, 2 or 500m."),
        (
            {"memory": "8 giga"},
            "memory",
            "'8 giga' is not an amount of memory. Use MiB (8192) or 8Gi.",
        ),
        ({"memory": "9999999T"}, "memory", "Must be between 0 and 1073741824, not 9536742210389."),
        ({"cpu": "2", "cpu_limit": "500m"}, "cpu_limit", "Below the request. Use at least 2."),
        (
            {"memory": "2Gi", "memory_limit": "1Gi"},
            "memory_limit",
            "Below the request. Use at least 2Gi.",
        ),
        (
            {"tolerations": ("a b",)},
            "tolerations[0]",
            "'a b' is not valid. Use KEY=VALUE:NoSchedule, KEY:NoSchedule or KEY.",
        ),
        (
            {"tolerations": ("a:Never",)},
            "tolerations[0]",
            "'a:Never' is not valid. Use KEY=VALUE:NoSchedule, KEY:NoSchedule or KEY.",
        ),
        (
            {"pull_secrets": ("ok", "Not_Ok")},
            "pull_secrets[1]",
            "'Not_Ok' is not valid. Use the name of one in the project's namespace.",
        ),
        (
            {"pull_policy": "Sometimes"},
            "pull_policy",
            "'Sometimes' is not possible. Choose Always, IfNotPresent or Never.",
        ),
        (
            {"service_account": "../x"},
            "service_account",
            "'../x' is not valid. Use the name of one in the project's namespace.",
        ),
        ({"run_as": "root"}, "run_as", "'root' is not valid. Use 1000 or 1000:100."),
        ({"run_as": "0"}, "run_as", "Must be between 1 and 2147483647, not 0."),
        ({"run_as": "1000:0"}, "run_as", "Must be between 1 and 2147483647, not 0."),
        ({"secret_env": {"A": "nokey"}}, "secret_env.A", "'nokey' is not valid. Use SECRET/KEY."),
        ({"secret_env": {"A": "s/.."}}, "secret_env.A", "'s/..' is not valid. Use SECRET/KEY."),
        (
            {"secret_env": {"A B": "s/k"}},
            "secret_env.A B",
            "Not a valid name of an environment variable.",
        ),
        (
            {"secret_env": {"JUPYTER_TOKEN": "s/k"}},
            "secret_env.JUPYTER_TOKEN",
            "JUPYTER_TOKEN is set by the session.",
        ),
        ({"env": {"A": "1"}, "secret_env": {"A": "s/k"}}, "secret_env.A", "Given more than once."),
        (
            {"env": {"NVIDIA_VISIBLE_DEVICES": "all"}},
            "env.NVIDIA_VISIBLE_DEVICES",
            "NVIDIA_VISIBLE_DEVICES is set by the session.",
        ),
        (
            {"env": {"JUPYTER_NO_CONFIG": "1"}},
            "env.JUPYTER_NO_CONFIG",
            "JUPYTER_NO_CONFIG is set by the session.",
        ),
        (
            {"volumes": ("data",)},
            "volumes[0]",
            f"'data' is not valid. {MOUNT}",
        ),
        (
            {"volumes": ("data:rel",)},
            "volumes[0]",
            f"'data:rel' is not valid. {MOUNT}",
        ),
        (
            {"volumes": ("data:/a/../b",)},
            "volumes[0]",
            f"'data:/a/../b' is not valid. {MOUNT}",
        ),
        (
            {"volumes": ("data:/a:rx",)},
            "volumes[0]",
            f"'data:/a:rx' is not valid. {MOUNT}",
        ),
        (
            {"volumes": ("data:/",)},
            "volumes[0]",
            f"'data:/' is not valid. {MOUNT}",
        ),
        (
            {"volumes": ("Data:/a",)},
            "volumes[0]",
            f"'Data:/a' is not valid. {MOUNT}",
        ),
        ({"volumes": ("a:/d", "b:/d")}, "volumes[1]", "/d is listed twice. Keep one of them."),
        (
            {"volumes": ("a:/usr",)},
            "volumes[0]",
            "/usr is used by the system or the session. Choose another path.",
        ),
        (
            {"volumes": ("a:/proc/1",)},
            "volumes[0]",
            "/proc/1 is used by the system or the session. Choose another path.",
        ),
        (
            {"volumes": ("a:/home",)},
            "volumes[0]",
            "/home is used by the system or the session. Choose another path.",
        ),
        (
            {"volumes": ("a:/home/jovyan",)},
            "volumes[0]",
            "/home/jovyan is used by the system or the session. Choose another path.",
        ),
        (
            {"volumes": ("/etc:/host",)},
            "volumes[0]",
            "/etc of the nodes may not be mounted. Use NAME:/path, /scratch:/path.",
        ),
        (
            {"volumes": ("/scratchy:/a",)},
            "volumes[0]",
            "/scratchy of the nodes may not be mounted. Use NAME:/path, /scratch:/path.",
        ),
        ({"name": "x" * 49}, "name", "Use at most 48 characters, not 49."),
    ],
)
def test_a_bad_option_is_refused_at_its_field(
    request_: dict[str, Any], field: str, text: str
) -> None:
    assert wrong(**request_) == {field: text}


def test_every_mistake_is_reported_at_once() -> None:
    found = wrong(cpu="x", memory="y", run_as="z", volumes=("bad", "a:/proc"), gpu="9")
    assert list(found) == ["gpu", "cpu", "memory", "run_as", "volumes[0]", "volumes[1]"]


def test_secrets_of_sessions_and_homes_of_others_are_refused() -> None:
    assert wrong(secret_env={"A": "gpu-exp-2/token"}, volumes=("home-bob:/bob",)) == {
        "secret_env.A": "gpu-exp-2 belongs to a session or a user. Use another one.",
        "volumes[0]": "home-bob belongs to a session or a user. Use another one.",
    }


def test_host_paths_are_refused_unless_an_administrator_lists_them() -> None:
    assert wrong(ContainerRules(), volumes=("/scratch:/scratch",)) == {
        "volumes[0]": "/scratch of the nodes may not be mounted. Use NAME:/path."
    }


AMOUNTS = st.integers(0, 2**30)
NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True)
PATHS = NAMES.map(lambda name: f"/x/{name}")
OPTIONS = st.builds(
    PodOptions,
    cpu=AMOUNTS,
    memory=AMOUNTS,
    large_shm=st.booleans(),
    tolerations=st.lists(
        st.builds(
            Toleration,
            key=NAMES,
            value=st.one_of(st.just(""), NAMES),
            effect=st.sampled_from(["", "NoSchedule", "NoExecute"]),
        )
    ).map(tuple),
    pull_secrets=st.lists(NAMES).map(tuple),
    run_as_user=st.one_of(st.none(), st.integers(1, 2**31 - 1)),
    secret_env=st.dictionaries(
        st.sampled_from(["A", "B"]), st.builds(SecretKey, secret=NAMES, key=NAMES)
    ),
)


@given(OPTIONS)
@example(PodOptions(cpu=2**30, memory=2**30))
def test_options_that_were_checked_can_be_asked_for_again(options: PodOptions) -> None:
    reader = FieldReader()
    request = SessionRequest(name="x", **options_asked(options))
    assert (read_options(request, RULES, reader) or PodOptions()) == options
    assert reader.errors == []
    wire = msgspec.json.encode(options)
    assert msgspec.json.decode(wire, type=PodOptions) == options


@given(
    st.lists(
        st.builds(
            Mount, volume=NAMES, path=NAMES.map(lambda n: f"/x/{n}"), read_only=st.booleans()
        ),
        unique_by=(lambda mount: mount.path, lambda mount: mount.volume),
    ).map(tuple)
)
def test_volumes_that_were_checked_can_be_asked_for_again(mounts: tuple[Mount, ...]) -> None:
    reader = FieldReader()
    assert read_mounts(list(map(mount_text, mounts)), "x", None, ContainerRules(), reader) == mounts
    assert reader.errors == []


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    reader = FieldReader()
    request = SessionRequest(
        name="x",
        cpu=text,
        memory=text,
        run_as=text,
        tolerations=(text,),
        pull_secrets=(text,),
        service_account=text,
        secret_env={text: text},
        volumes=(text, f"data:{text}", f"{text}:/data"),
    )
    read_options(request, RULES, reader)
    read_mounts(request.volumes, "x", VolumeFacts(), RULES, reader)
