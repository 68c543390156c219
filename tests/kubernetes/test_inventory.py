"""What a cluster offers: images, folders, and shares rounded up to what its nodes give."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.inventory import Inventory
from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.core.projects import labelled
from jupyter_gpuquota.core.requests import specs
from jupyter_gpuquota.core.requests.alternatives import allowed
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.kubernetes.images import Images
from jupyter_gpuquota.kubernetes.inventory import ClusterReader, KubernetesInventory, Offer
from jupyter_gpuquota.kubernetes.nodes import NodeSettings
from jupyter_gpuquota.kubernetes.objects.cluster import KubeNode
from jupyter_gpuquota.kubernetes.shares.registry import Shares
from jupyter_gpuquota.model.environments import Environment
from jupyter_gpuquota.model.pods import ContainerRules
from jupyter_gpuquota.model.projects import Groups, NodeGroup
from jupyter_gpuquota.model.quota import Affinity, Project
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import SessionRequest, SessionSpec
from tests.builders import make_project, make_spec
from tests.kubernetes.gpu_nodes import MILLI, counted, mps, sliced, whole

TORCH = Environment(id="torch", label="PyTorch", image="registry.example/ml/torch:2", default=True)
IMAGES = Images(
    presets=(Environment(id="tf", label="TF", image="registry.example/ml/tf:2"), TORCH),
    allowed=("registry.example/team-*/*", "ghcr.io/acme/**"),
    folder="/home/jovyan",
)
TYPE = "run.ai/type"


def anything(project: str, kind: str, resource: str) -> bool:
    return True


def make_inventory(
    *nodes: KubeNode,
    project: Project | None = None,
    counts: Any = anything,
    limited: bool = True,
) -> KubernetesInventory:
    board = Board()
    board.show_settings(Settings(projects=(project or make_project(),)))
    reader = ClusterReader(NodeSettings(counted=MILLI))
    found = reader.read(nodes, (), ())
    board.show_inventory(found, found.nodes)
    offer = Offer(IMAGES, Shares(groups=(TYPE,)), ContainerRules())
    return KubernetesInventory(board, offer, reader, counts, lambda _: limited)


def of_type(node: KubeNode, group: str) -> KubeNode:
    labels = {**node.metadata.labels, TYPE: group}
    return msgspec.structs.replace(
        node, metadata=msgspec.structs.replace(node.metadata, labels=labels)
    )


async def facts(inventory: KubernetesInventory, request: SessionRequest) -> specs.Facts:
    return specs.Facts(
        projects=inventory.projects(),
        nodes=inventory.nodes(),
        place=await inventory.look_up(request),
        containers=inventory.containers,
        fits=inventory.fit,
    )


async def checked(inventory: KubernetesInventory, **fields: Any) -> SessionSpec:
    request = SessionRequest(name="exp-1", **fields)
    return specs.check(request, await facts(inventory, request))


async def problems(inventory: KubernetesInventory, **fields: Any) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        await checked(inventory, **fields)
    return {error.field: f"{error.message} {error.hint}" for error in caught.value.fields}


async def test_a_request_becomes_a_spec_with_image_and_folder() -> None:
    spec = await checked(make_inventory(whole()), gpu="1")
    assert (spec.image, spec.environment, spec.folder) == (TORCH.image, "", "/home/jovyan")
    assert (spec.share, make_inventory(whole()).local_files) == (Share(milli=1000), False)


async def test_the_spec_has_the_rounded_share() -> None:
    spec = await checked(make_inventory(sliced()), gpu="0.3")
    assert spec.share == Share(milli=500)


async def test_what_was_checked_is_chosen_again() -> None:
    inventory = make_inventory(whole(), sliced())
    spec = await checked(inventory, gpu="0.3")
    choice = inventory.choice(spec)
    assert (choice.provider.name, choice.share) == ("time-slicing", spec.share)
    assert inventory.cost(spec) == choice.patch().milli == 500
    isolation = choice.isolation()
    assert isolation
    assert isolation.memory == "none"


async def test_what_the_quota_counts_is_preferred() -> None:
    asked = []

    def thousandths(project: str, kind: str, resource: str) -> bool:
        asked.append((project, kind))
        return resource == MILLI

    inventory = make_inventory(sliced(), counted(), counts=thousandths)
    choice = inventory.choice(make_spec(gpu="0.25"))
    assert choice.patch().resources == {MILLI: "250"}
    assert set(asked) == {("team-a", "interactive")}
    anyhow = make_inventory(sliced(), counted()).choice(make_spec(gpu="0.25"))
    assert anyhow.patch().resources == {"nvidia.com/gpu": "1"}


async def test_whole_gpus_can_be_requested_where_nodes_may_not_be_read() -> None:
    inventory = make_inventory(project=make_project(quota="8"))
    spec = await checked(inventory, gpu="2", node_type="dgx1")
    patch = inventory.choice(spec).patch()
    assert (patch.resources, patch.node_labels) == ({"nvidia.com/gpu": "2"}, {})
    assert inventory.node_groups(spec) == ("dgx1",)
    assert "known to share GPUs" in (await problems(inventory, gpu="0.5"))["gpu"]


async def test_fractions_can_be_requested_of_unknown_nodes_where_the_quota_counts_them() -> None:
    inventory = make_inventory(counts=lambda project, kind, resource: resource == MILLI)
    spec = await checked(inventory, gpu="0.5")
    assert inventory.choice(spec).patch().resources == {MILLI: "500"}


async def test_errors_are_at_their_fields_all_at_once() -> None:
    said = await problems(
        make_inventory(whole()), gpu="0.5", environment="docker.io/x/y", folder="notebooks"
    )
    assert list(said) == ["gpu", "environment", "folder"]
    assert "Request whole GPUs" in said["gpu"]
    assert "registry.example/team-*/*" in said["environment"]
    assert "absolute path" in said["folder"]


async def test_the_quota_counts_what_is_given() -> None:
    """Half of a quota is requested, but only whole replicas of half a GPU exist."""
    inventory = make_inventory(mps(), project=make_project(quota="0.4", weight="0"))
    assert "quota is 0.4 GPU" in (await problems(inventory, gpu="0.3"))["gpu"]


async def test_a_smaller_share_is_proposed_as_it_would_be_given() -> None:
    inventory = make_inventory(mps())
    request = SessionRequest(name="exp-1", gpu="0.9")
    known = await facts(inventory, request)
    with pytest.raises(InvalidFields) as caught:
        specs.check(request, known)
    assert allowed(request, known, caught.value) == Share(milli=500)


async def test_a_node_group_confines_share_and_pod() -> None:
    inventory = make_inventory(of_type(whole("a"), "old"), of_type(whole("b", 2), "new"))
    spec = await checked(inventory, gpu="2", node_type="new")
    assert inventory.choice(spec).patch().node_labels == {TYPE: ["new"]}
    said = await problems(inventory, gpu="3", node_type="new")
    assert "largest node has 2 GPUs" in said["gpu"]
    assert "new and old" in (await problems(inventory, node_type="x"))["node_type"]


async def test_the_affinity_of_a_project_confines_its_pods_even_without_a_gpu() -> None:
    project = make_project(node_affinity=Affinity(train=("old",)))
    nodes = (of_type(whole("a"), "old"), of_type(whole("b"), "new"))
    inventory = make_inventory(*nodes, project=project)
    choice = inventory.choice(make_spec(kind="train"))
    assert choice.patch().node_labels == {TYPE: ["old"]}
    assert inventory.choice(make_spec(kind="interactive")).patch().node_labels == {}
    other = {"kind": "train", "command": ("true",), "node_type": "new"}
    assert await problems(inventory, **other) == {"node_type": "'new' is not possible. Choose old."}
    assert "project" in await problems(inventory, **other, gpu="1")


async def test_groups_of_named_nodes_have_no_labels_for_a_pod() -> None:
    inventory = make_inventory(of_type(whole("a"), "old"), of_type(whole("b"), "new"))
    board = inventory._board
    group = Groups(items=(NodeGroup(name="mine", nodes=("b",)),))
    board.show_inventory(Inventory(board.found_nodes), labelled(board.found_nodes, group))
    spec = await checked(inventory, gpu="1", node_type="mine")
    assert inventory.node_groups(spec) == ()
    assert inventory.choice(spec).patch().node_labels == {TYPE: ["new"]}
    assert inventory.node_groups(make_spec(node_type="new")) == ("new",)


async def test_nodes_that_change_are_chosen_from_anew() -> None:
    inventory = make_inventory(whole())
    assert inventory.fit(Share(milli=500), "train", "", (), make_project()).errors
    found = inventory._reader.read([sliced()], (), ())
    inventory._board.show_inventory(found, found.nodes)
    assert inventory.fit(Share(milli=500), "train", "", (), make_project()).errors == []


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("", TORCH.image),
        ("tf", "registry.example/ml/tf:2"),
        ("registry.example/ml/tf:2", "registry.example/ml/tf:2"),
        ("registry.example/team-a/x:1", "registry.example/team-a/x:1"),
        ("ghcr.io/acme/deep/er/x@sha256:" + "a" * 64, "ghcr.io/acme/deep/er/x@sha256:" + "a" * 64),
    ],
)
def test_presets_and_allowed_images_are_found(name: str, image: str) -> None:
    found = IMAGES.look_up(SessionRequest(name="x", environment=name)).environment
    assert found
    assert found.image == image


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("evil.example/x", "not allowed"),
        ("registry.example/team-a/sub/x", "not allowed"),
        ("registry.example.evil/team-a/x", "not allowed"),
        ("evil.example/registry.example/team-a/x", "not allowed"),
        ("ghcr.io/acme/x y", "not the name of an image"),
        ("ghcr.io/acme/x\n", "not the name of an image"),
        ("ghcr.io/acme/../other/x", "not the name of an image"),
        ("/opt/conda", "not the name of an image"),
    ],
)
def test_other_images_are_refused(name: str, words: str) -> None:
    place = IMAGES.look_up(SessionRequest(name="x", environment=name))
    assert place.environment is None
    assert words in place.environment_problem


def test_the_first_preset_is_the_default_where_none_is_marked() -> None:
    first, second = (msgspec.structs.replace(p, default=False) for p in IMAGES.presets)
    assert [p.default for p in Images((first, second)).listed] == [True, False]
    assert [p.default for p in IMAGES.listed] == [False, True]


def test_without_images_nothing_can_be_launched() -> None:
    place = Images().look_up(SessionRequest(name="x"))
    assert place.environment_problem == "No environment is configured."


@pytest.mark.parametrize(
    ("folder", "found", "words"),
    [
        ("", "/home/jovyan", ""),
        ("/data//x/", "/data/x", ""),
        ("notebooks", "notebooks", "absolute path"),
        ("~/x", "~/x", "absolute path"),
        ("/data/../etc", "/etc", "'..'"),
        ("/da\0ta", "/da\0ta", "cannot be printed"),
    ],
)
def test_folders_are_those_of_the_container(folder: str, found: str, words: str) -> None:
    place = IMAGES.look_up(SessionRequest(name="x", folder=folder))
    assert (place.folder, words in place.folder_problem) == (found, True)
    assert bool(place.folder_problem) == bool(words)


async def test_an_unknown_quota_refuses_nothing() -> None:
    """Neither nodes nor quotas may be read: what is shown of the project is zero."""
    nothing = make_project(quota="0")
    spec = await checked(make_inventory(project=nothing, limited=False), gpu="2")
    assert spec.share.milli == 2000
    assert "gpu" in await problems(make_inventory(project=nothing), gpu="2")
