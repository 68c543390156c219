"""The objects of a session, compared as a whole with manifests to read: `expected/*.yaml`."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.requests.specs import Facts, check
from jupyter_gpuquota.environ import BACKEND, CA, STATE_DIR, TOKEN_FILE, URL
from jupyter_gpuquota.environ import VOLUMES as VOLUMES_VARIABLE
from jupyter_gpuquota.kubernetes.builders.container import literal, network_policy, service
from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.session_manifests import SessionManifests
from jupyter_gpuquota.kubernetes.builders.volumes import claim_of, secret
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.engines.engine import EnginePatch
from jupyter_gpuquota.kubernetes.labels import ATTACHED, NAME_LIMIT, object_name
from jupyter_gpuquota.kubernetes.nodes import GROUP_LABELS
from jupyter_gpuquota.kubernetes.reconcile.kinds import WorkloadKinds
from jupyter_gpuquota.kubernetes.resources import STATEFUL_SETS
from jupyter_gpuquota.kubernetes.shares.gpu_node import gpu_node
from jupyter_gpuquota.kubernetes.shares.no_gpu import NoGpu
from jupyter_gpuquota.kubernetes.shares.provider import Grant, PodPatch
from jupyter_gpuquota.kubernetes.state.attached import Attached
from jupyter_gpuquota.model.pods import ContainerRules, PodOptions, SecretKey, Toleration
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.model.volumes.mounts import Mount
from tests.builders import make_node, make_place, make_project, make_session, make_share
from tests.kubernetes.gpu_nodes import whole

EXPECTED = Path(__file__).with_name("expected")
TOKEN = "id-exp-1.not-a-secret"  # noqa: S105 (of a test)
PROXY = [
    {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "hub"}},
        "podSelector": {"matchLabels": {"app": "jupyterhub"}},
    }
]

NO_GPU = NoGpu().render(Grant(Share()))
QUEUE = EnginePatch(labels={"kueue.x-k8s.io/queue-name": "gpus"}, pod_labels={"team": "a"})
ONE_GPU = PodPatch(
    milli=1000,
    resources={"nvidia.com/gpu": "1"},
    node_labels={"nvidia.com/gpu.product": ["A100", "H100"]},
)
EVERYTHING = PodOptions(
    cpu=1500,
    cpu_limit=4000,
    memory=8192,
    memory_limit=16_384,
    large_shm=True,
    tolerations=(
        Toleration(key="spot"),
        Toleration(key="team", value="a", effect="NoExecute"),
    ),
    pull_secrets=("registry",),
    pull_policy="Always",
    service_account="data-reader",
    run_as_user=2000,
    run_as_group=3000,
    secret_env={"API_KEY": SecretKey(secret="keys", key="api")},  # noqa: S106 (a name)
)
VOLUMES = (
    Mount(volume="data", path="/data", read_only=True),
    Mount(host_path="/scratch", path="/scratch"),
)


def image_session(name: str = "exp-1", gpu: str = "", **spec: Any) -> Session:
    image = {
        "image": "quay.io/jupyter/base-notebook:2026-01",
        "environment": "",
        "folder": "/home/jovyan",
    }
    return make_session(name, gpu, **{**image, **spec})


def expected(name: str) -> Any:
    return yaml.safe_load((EXPECTED / f"{name}.yaml").read_text())


def test_a_jupyter_session_is_a_stateful_set_without_pods() -> None:
    made = workload(image_session(), Parts(share=NO_GPU))
    assert made == expected("jupyter")


def test_every_option_is_in_the_pod() -> None:
    more = {"ports": (6006,), "env": {"RATE": "$(HOME) $1"}}
    session = image_session(gpu="1", pod=EVERYTHING, volumes=VOLUMES, **more)
    defaults = PodDefaults(
        home_claim="home-{user}",
        pull_secrets=("mirror",),
        tolerations=(Toleration(key="batch", effect="NoSchedule"),),
        env={"HTTPS_PROXY": "http://proxy:3128"},
        cpu=500,
        memory=1024,
    )
    parts = Parts(engine=QUEUE, share=ONE_GPU, defaults=defaults, node_types=["fast"], grace=60)
    assert workload(session, parts) == expected("options")


def test_a_training_is_a_suspended_job_that_is_not_repeated_unless_it_was_evicted() -> None:
    session = image_session(
        gpu="1", kind="train", command=("python", "train.py"), args=("--lr", "$LR")
    )
    assert workload(session, Parts(engine=QUEUE, share=ONE_GPU)) == expected("training")


def test_only_the_proxy_reaches_a_session() -> None:
    session = image_session(ports=(6006,))
    defaults = PodDefaults(proxy=PROXY)
    made = [service(session), network_policy(session, defaults)]
    assert made == expected("network")


def test_nobody_reaches_a_session_where_no_proxy_is_configured() -> None:
    assert network_policy(image_session(), PodDefaults())["spec"]["ingress"] == []


def test_the_secret_has_the_token_and_the_configuration_that_keeps_it_out_of_pages() -> None:
    made = secret(image_session(), TOKEN, PodDefaults())
    data = {name: base64.b64decode(value).decode() for name, value in made.pop("data").items()}
    assert made == expected("secret")
    assert data.pop("token") == TOKEN
    assert "identity_provider_class = SessionIdentity" in data.pop("jupyter_server_config.py")
    config = json.loads(data.pop("jupyter_server_config.json"))
    assert config["IdentityProvider"] == {"token": TOKEN}
    assert config["LabApp"] == {"default_url": "/lab/workspaces/exp-1"}
    assert data == {}


def test_a_command_has_a_token_but_no_jupyter_server() -> None:
    session = image_session(command=("serve",))
    assert set(secret(session, TOKEN, PodDefaults())["data"]) == {"token"}
    pod = workload(session, Parts())["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["command"] == ["serve"]
    assert not {"readinessProbe", "ports"} & container.keys()
    assert "JUPYTER_TOKEN_FILE" not in {variable["name"] for variable in container["env"]}
    assert "ports" not in service(session)["spec"]


REACHABLE = PodDefaults(controller_url="https://controller.gpu.svc:8443", controller_ca="CA\n")


def test_the_token_is_in_the_secret_only() -> None:
    session, parts = image_session(), Parts(defaults=REACHABLE)
    made = [workload(session, parts), service(session), network_policy(session, REACHABLE)]
    assert TOKEN not in json.dumps(made)


@pytest.mark.parametrize("command", [(), ("python", "train.py")])
def test_a_session_reaches_its_controller_with_files_of_its_secret(
    command: tuple[str, ...],
) -> None:
    session = image_session(command=command, env={URL: "https://another"})
    pod = workload(session, Parts(defaults=REACHABLE))["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert (env[URL], env[BACKEND], env[STATE_DIR]) == (REACHABLE.controller_url, "", "")
    source = next(v["secret"] for v in pod["volumes"] if v["name"] == "controller")
    mount = next(m for m in container["volumeMounts"] if m["name"] == "controller")
    data = secret(session, TOKEN, REACHABLE)["data"]
    content = {
        f"{mount['mountPath']}/{item['path']}": base64.b64decode(data[item["key"]]).decode()
        for item in source["items"]
    }
    assert content == {env[TOKEN_FILE]: f"owner:{TOKEN}", env[CA]: "CA\n"}


def test_without_an_address_nothing_leads_to_a_controller() -> None:
    session = image_session(env={BACKEND: "local"})
    (container,) = workload(session, Parts())["spec"]["template"]["spec"]["containers"]
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert (env[URL], env[BACKEND], env[STATE_DIR]) == ("", "", "")
    assert not {TOKEN_FILE, CA} & env.keys()


@pytest.mark.asyncio
async def test_manifests_are_made_by_what_is_known_now() -> None:
    defaults = PodDefaults(proxy=PROXY)
    parts = Parts(share=NO_GPU, defaults=defaults)
    made = SessionManifests(lambda _spec: parts, defaults, lambda *_: (), WorkloadKinds())
    session = image_session()
    assert await made.workload(session) == (STATEFUL_SETS, workload(session, parts))
    children = made.children(session, TOKEN, STATEFUL_SETS)
    assert [(kind.kind, manifest["kind"]) for kind, manifest in children] == [
        ("Secret", "Secret"),
        ("Service", "Service"),
        ("NetworkPolicy", "NetworkPolicy"),
    ]


@pytest.mark.parametrize(("limit", "request_"), [(0, "500m"), (200, "200m"), (4000, "500m")])
def test_a_default_request_stays_below_the_limit(limit: int, request_: str) -> None:
    session = image_session(pod=PodOptions(cpu_limit=limit))
    made = workload(session, Parts(defaults=PodDefaults(cpu=500)))
    (container,) = made["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["requests"] == {"cpu": request_}


def test_without_a_memory_limit_shared_memory_has_none() -> None:
    pod = workload(image_session(pod=PodOptions(large_shm=True)), Parts())["spec"]["template"]
    shm = next(v for v in pod["spec"]["volumes"] if v["name"] == "shared-memory")
    assert shm["emptyDir"] == {"medium": "Memory"}


def test_a_project_may_be_bound_to_node_groups() -> None:
    made = workload(image_session(), Parts(node_types=["A100", "V100"]))
    affinity = made["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert [term["matchExpressions"] for term in terms] == [
        [{"key": label, "operator": "In", "values": ["A100", "V100"]}] for label in GROUP_LABELS
    ]


def test_a_pod_runs_where_its_volumes_are_attached() -> None:
    """Also within its groups; a host's name may differ from the node's."""
    tied = (Attached("data", ("n1",), ("host-1",)), Attached("out", ("n1", "n2"), ("host-1", "n2")))
    made = workload(image_session(), Parts(node_types=["A100"], attached=tied))
    affinity = made["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    here = [
        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["host-1"]},
        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["host-1", "n2"]},
    ]
    assert [term["matchExpressions"] for term in terms] == [
        [*here, {"key": label, "operator": "In", "values": ["A100"]}] for label in GROUP_LABELS
    ]
    assert made["metadata"]["annotations"] == {ATTACHED: "n1;n1,n2"}
    free = workload(image_session(), Parts())
    assert "affinity" not in free["spec"]["template"]["spec"]
    assert "annotations" not in free["metadata"]


@pytest.mark.parametrize(
    ("user", "claim"),
    [("ana", "home-ana"), ("a-b", "home-a-b"), ("ana@x.org", "home-ana-x-org-c73880466f02c8bb")],
)
def test_the_home_of_a_user_is_a_claim(user: str, claim: str) -> None:
    assert claim_of(user, "home-{user}") == claim


USERS = st.text(min_size=1, max_size=30)
LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


@given(USERS, USERS)
def test_two_users_never_share_a_home(one: str, other: str) -> None:
    claims = claim_of(one, "home-{user}"), claim_of(other, "home-{user}")
    assert all(LABEL.fullmatch(claim) for claim in claims)
    assert (claims[0] == claims[1]) == (one == other)


@given(st.text(alphabet="$()HOME x"))
def test_texts_reach_the_program_as_they_are(text: str) -> None:
    assert expanded(literal(text), {"HOME": "/root"}) == text


def expanded(text: str, env: dict[str, str]) -> str:
    """Return a text as the kubelet passes it on (third_party/forked/golang/expansion)."""
    known = re.compile(r"\$(?:(\$)|\(([^)]*)\))")
    return known.sub(
        lambda m: "$" if m[1] else env.get(m[2], m[0]),
        text,
    )


NAMES = st.from_regex(rf"[a-z0-9]([-a-z0-9]{{0,{NAME_LIMIT - 2}}}[a-z0-9])?", fullmatch=True)


@given(NAMES)
def test_every_accepted_name_makes_valid_names_of_objects(name: str) -> None:
    place = make_place()
    rules = ContainerRules(name_limit=NAME_LIMIT)
    facts = Facts([make_project()], [make_node()], place, containers=rules)
    spec = check(SessionRequest(name=name), facts)
    made = object_name(make_session(spec.name))
    assert LABEL.fullmatch(made)
    # The controller labels pods with the name, a hyphen and a hash of up to ten characters.
    assert len(f"{made}-{'x' * 10}") <= 63


def test_volumes_are_found_by_name_beside_their_paths() -> None:
    volumes = (*VOLUMES, Mount(volume="data", path="/again", read_only=True))
    pod = workload(image_session(volumes=volumes), Parts(share=NO_GPU))["spec"]["template"]
    container = pod["spec"]["containers"][0]
    paths = [mount["mountPath"] for mount in container["volumeMounts"]]
    assert len(set(paths)) == len(paths)
    folder = next(e["value"] for e in container["env"] if e["name"] == VOLUMES_VARIABLE)
    assert [path for path in paths if path.startswith(folder)] == [f"{folder}/data"]
    plain = workload(image_session(volumes=VOLUMES[1:]), Parts(share=NO_GPU))["spec"]["template"]
    names = [entry["name"] for entry in plain["spec"]["containers"][0]["env"]]
    assert VOLUMES_VARIABLE not in names


def test_a_part_of_a_gpu_tolerates_the_taint_of_nodes_with_gpus() -> None:
    """KAI's parts are annotations: without a resource nothing else would name the taint."""
    made = workload(image_session(), Parts(share=PodPatch(milli=500)))
    tainted = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    assert made["spec"]["template"]["spec"]["tolerations"] == [tainted]


@pytest.mark.parametrize("part", [{"gpu-fraction": "0.5"}, {"gpu-memory": "8192"}])
def test_kai_is_told_which_container_gets_the_part(part: dict[str, str]) -> None:
    """Else it is the first one, which may be a proxy that was put before it."""
    made = workload(image_session(), Parts(share=PodPatch(milli=500, annotations=part)))
    annotations = made["spec"]["template"]["metadata"]["annotations"]
    assert annotations["gpu-fraction-container-name"] == "session"
    whole = PodPatch(milli=1000, resources={"nvidia.com/gpu": "1"})
    made = workload(image_session(), Parts(share=whole))
    assert "gpu-fraction-container-name" not in str(made)


def test_what_wants_a_gpu_is_granted_by_others() -> None:
    node = gpu_node(whole("node-1"))
    assert NoGpu().grant(Share(), node) == Grant(Share())
    assert NoGpu().grant(make_share("0.5"), node) is None
