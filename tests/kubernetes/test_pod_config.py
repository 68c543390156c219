"""The administrator's settings of pods, written as in requests."""

from __future__ import annotations

from typing import Any

import pytest
from traitlets import TraitError

from jupyter_gpuquota.kubernetes.builders.defaults import PodDefaults
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.labels import NAME_LIMIT
from jupyter_gpuquota.model.environments import Environment
from jupyter_gpuquota.model.pods import ContainerRules, Toleration
from jupyter_gpuquota.model.sessions import SessionRequest


def test_without_settings_there_is_a_listed_image_and_any_other_is_allowed() -> None:
    images = KubernetesConfig().images()
    assert [preset.id for preset in images.presets] == ["jupyter"]
    place = images.look_up(SessionRequest(name="x", environment="ghcr.io/team/torch:2"))
    assert place.environment == Environment(
        id="ghcr.io/team/torch:2", label="ghcr.io/team/torch:2", image="ghcr.io/team/torch:2"
    )
    assert place.folder == "/home/jovyan"


def test_an_image_that_matches_no_pattern_is_refused_with_the_patterns() -> None:
    config = KubernetesConfig(
        environments=[{"id": "torch", "label": "PyTorch", "image": "ghcr.io/team/torch:2"}],
        allowed_images=["ghcr.io/team/*", "quay.io/jupyter/**"],
    )
    images = config.images()
    listed = images.look_up(SessionRequest(name="x", environment="torch")).environment
    assert listed == Environment(
        id="torch", label="PyTorch", image="ghcr.io/team/torch:2", default=True
    )
    refused = images.look_up(SessionRequest(name="x", environment="docker.io/miner:1"))
    assert refused.environment is None
    assert "ghcr.io/team/*, quay.io/jupyter/**" in refused.environment_problem


def test_pods_have_what_is_configured() -> None:
    config = KubernetesConfig(
        home="/home/me",
        home_claim="home-{user}",
        cpu="500m",
        memory="2Gi",
        tolerations=["batch:NoSchedule"],
        pull_secrets=["mirror"],
        pull_policy="Always",
        service_account="sessions",
        run_as="2000",
        env={"HTTPS_PROXY": "http://proxy"},
    )
    assert config.pod_defaults() == PodDefaults(
        home="/home/me",
        home_claim="home-{user}",
        cpu=500,
        memory=2048,
        tolerations=(Toleration(key="batch", effect="NoSchedule"),),
        pull_secrets=("mirror",),
        pull_policy="Always",
        service_account="sessions",
        run_as_user=2000,
        env={"HTTPS_PROXY": "http://proxy"},
    )


def test_the_home_folder_belongs_to_the_session() -> None:
    config = KubernetesConfig(home="/home/me", home_claim="home-{user}", host_paths=["/scratch"])
    assert config.containers() == ContainerRules(
        host_paths=("/scratch",),
        reserved=("/home/me",),
        name_limit=NAME_LIMIT,
        secrets="gpu-*",
        claims="home-*",
    )


def test_lakes_are_named_where_nobody_is_an_administrator() -> None:
    written = [
        {"name": "old", "url": "s3://old", "projects": ["team-a"]},
        {"name": "main", "url": "s3://data", "credentials": "lake-keys", "default": True},
    ]
    main, old = KubernetesConfig(dataset_lakes=written).lakes()
    assert (main.name, main.default, main.credentials) == ("main", True, "lake-keys")
    assert (old.name, old.default, old.projects) == ("old", False, ("team-a",))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cpu": "many", "run_as": "0"}, "cpu: 'many' is not valid.*run_as: Must be between 1"),
        ({"home": "relative"}, "home must be an absolute path"),
        ({"host_paths": ["relative"]}, "host_paths must be an absolute path"),
        ({"environments": [{"id": "x"}]}, "environments: .*image"),
        ({"environments": [{"id": "x", "image": "a"}] * 2}, "names must be unique"),
        ({"controller_url": "http://gpu.example.org"}, "controller_url: .*https://HOST:PORT"),
        ({"controller_url": "https://me:secret@gpu.example.org"}, "controller_url: "),
        ({"controller_url": "gpu.example.org"}, "controller_url: "),
        ({"dataset_lakes": [{"name": "main"}]}, "dataset_lakes: .*url"),
        ({"dataset_lakes": [{"name": "A", "url": "s3://b"}]}, r"dataset_lakes\[0\]\.name: "),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, Any], words: str) -> None:
    config = KubernetesConfig(**settings)
    with pytest.raises(TraitError, match=words):
        config.images(), config.containers(), config.pod_defaults(), config.lakes()


def test_an_address_of_the_controller_is_taken_as_it_is() -> None:
    for url in ("", "https://gpu.example.org:8888"):
        assert KubernetesConfig(controller_url=url).pod_defaults().controller_url == url
