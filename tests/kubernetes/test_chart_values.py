"""The Helm chart as it is rendered: what its values mean, without a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.control.settings.quota_file import Present, read
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.engines.kai.objects import gpus_of
from jupyter_gpuquota.kubernetes.engines.surroundings import MILLI_RESOURCE
from tests.builders import make_project
from tests.kubernetes.chart import (
    CHART,
    DEPLOY,
    ENGINES,
    VERSION,
    configured,
    helm,
    rendered,
    values,
)

CONFIG, SETTINGS = "jupyter_gpuquota_config.py", "quota.yaml"


def test_the_chart_is_linted() -> None:
    helm("lint", "--strict", f"--kube-version={VERSION}", str(CHART), values=values("team-a"))


def test_without_an_image_it_says_how_to_build_one() -> None:
    with pytest.raises(AssertionError, match="build the image with deploy/Containerfile"):
        helm("template", f"--kube-version={VERSION}", "gpuquota", str(CHART), values={})


def test_a_mistake_in_the_values_names_the_value() -> None:
    wrong = values("Team_A", engine="slurm", storag={})
    with pytest.raises(AssertionError) as caught:
        helm("template", f"--kube-version={VERSION}", "gpuquota", str(CHART), values=wrong)
    for word in ("storag", "engine", "projects"):
        assert word in str(caught.value)


def loaded(folder: Path, *projects: str, **more: Any) -> Config:
    """Return the configuration as the controller reads it."""
    (folder / CONFIG).write_text(configured(*projects, **more)[CONFIG])
    found: Config = PyFileConfigLoader(CONFIG, str(folder)).load_config()
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_the_controller_has_the_engine_of_the_queues(tmp_path: Path, engine: str) -> None:
    found = KubernetesConfig(config=loaded(tmp_path, "team-a", engine=engine))
    assert found.engine == (engine or "auto")
    assert found.namespaces == ["team-a"]


@pytest.mark.parametrize("milli", ["example.org/milli", "", MILLI_RESOURCE])
def test_the_controller_counts_what_the_quotas_count(tmp_path: Path, milli: str) -> None:
    more: dict[str, Any] = {"engine": "kueue", "kueue": {"milliResource": milli}}
    settings = KubernetesConfig(config=loaded(tmp_path, "team-a", **more)).engine_settings()
    covered = {
        resource
        for each in rendered("team-a", **more)
        if each["kind"] == "ClusterQueue"
        for group in each["spec"]["resourceGroups"]
        for resource in group["coveredResources"]
    }
    counted = settings.gpus.milli if milli else settings.gpus.whole
    assert covered == {"cpu", "memory", counted}


def test_without_settings_there_is_no_file_and_admins_set_them(tmp_path: Path) -> None:
    assert SETTINGS not in configured("team-a")
    assert GpuQuota(config=loaded(tmp_path, "team-a")).quota_file == ""


def test_settings_are_a_file_that_the_controller_can_use(tmp_path: Path) -> None:
    levels = [{"level": "project:team-a", "rules": {"idle_timeout": "2h"}}]
    given = {"rules": {"consolidate": True}, "policy": {"levels": levels}}
    file = configured("team-a", settings=given)[SETTINGS]
    found = read(file.encode(), Present(owned=(make_project("team-a"),)))
    assert found.rules.consolidate
    assert found.policy.levels[0].rules.idle_timeout == 7200
    path = GpuQuota(config=loaded(tmp_path, "team-a", settings=given)).quota_file
    [mount] = [
        each["mountPath"]
        for each in deployment(settings=given)["spec"]["containers"][0]["volumeMounts"]
        if each["name"] == "config"
    ]
    assert path == f"{mount}/{SETTINGS}"


def deployment(**more: Any) -> Any:
    """Return the template of the controller's pod."""
    [found] = [each for each in rendered("team-a", **more) if each["kind"] == "Deployment"]
    return found["spec"]["template"]


@pytest.mark.parametrize(
    "more",
    [
        {"hub": {"apiUrl": "http://other:8081/hub/api"}},
        {"clients": [{"podSelector": {"matchLabels": {"a": "b"}}}]},
        {"tls": {"secret": "own"}},
        {"engine": "kai"},
        {"settings": {"rules": {"consolidate": True}}},
        {"config": "c.KubernetesConfig.shares = ['whole']"},
        {"authenticators": ["kubernetes"]},
        {"metrics": {"enabled": True}},
    ],
    ids=lambda more: next(iter(more)),
)
def test_whatever_the_controller_reads_restarts_it(more: dict[str, Any]) -> None:
    assert deployment() == deployment()
    assert deployment() != deployment(**more)


def test_a_quota_of_kai_is_filled_by_fractions_exactly() -> None:
    quotas = {"team-a": 2, "team-b": 0.3, "team-c": 0}
    projects = [{"name": name, "quota": quota} for name, quota in quotas.items()]
    found = {
        each["metadata"]["name"]: each["spec"]["resources"]["gpu"]
        for each in rendered(engine="kai", projects=projects)
        if each["kind"] == "Queue"
    }
    for name, quota in quotas.items():
        assert found[name]["quota"] == gpus_of(round(quota * 1000))
    assert found["team-a"]["overQuotaWeight"] == 2


def test_the_hub_is_pointed_at_what_the_chart_makes() -> None:
    hub = yaml.safe_load((DEPLOY / "jupyterhub-values.yaml").read_text())
    found = {(each["kind"], each["metadata"]["name"]): each for each in rendered("team-a")}
    single = hub["singleuser"]
    service = found["Service", "gpuquota"]
    [port] = [each["port"] for each in service["spec"]["ports"]]
    host = f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc"
    assert single["extraEnv"]["JUPYTER_GPUQUOTA_URL"] == f"https://{host}:{port}"
    [mount] = single["storage"]["extraVolumeMounts"]
    [volume] = single["storage"]["extraVolumes"]
    authority = found["ConfigMap", volume["configMap"]["name"]]
    assert mount["name"] == volume["name"]
    [file] = authority["data"]
    assert single["extraEnv"]["JUPYTER_GPUQUOTA_CA"] == f"{mount['mountPath']}/{file}"
    template = found["Deployment", "gpuquota"]["spec"]["template"]
    wanted = template["metadata"]["labels"].items()
    egress, sessions = single["networkPolicy"]["egress"]
    [ingress] = hub["hub"]["networkPolicy"]["ingress"]
    [controller], [caller] = egress["to"], ingress["from"]
    for peer in (controller, caller):
        assert peer["podSelector"]["matchLabels"].items() <= wanted
    [target] = [each["containerPort"] for each in template["spec"]["containers"][0]["ports"]]
    assert [each["port"] for each in egress["ports"]] == [target]
    policy = found["NetworkPolicy", "gpuquota"]["spec"]["ingress"][0]["from"]
    assert sessions["to"][0] in policy
