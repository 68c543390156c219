"""The Helm chart: checked and installed on a real cluster, and used by people of a JupyterHub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import pytest
import yaml

from scripts.cluster.cluster import Cluster
from scripts.cluster.egress import forwards
from scripts.cluster.rest import Rest
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.leaving import leave
from tests.cluster.rbac import with_token
from tests.cluster.teams import GPU_NODE, RESTRICTED, Teams, make_priorities
from tests.hub.hub import INSTALLED, Hub, Person, until
from tests.kubernetes.chart import CHART, ENGINES, PEOPLE, helm, rendered, values
from tests.kubernetes.fake_rbac import MANIFESTS
from tests.waiting import patience

HTTPS, METRICS = 8443, 9090
"""The controller's ports in its pod."""
BOSS = "boss"
"""A user of the Hub who is an administrator of the cluster's sessions."""


def of_cluster(rest: Rest, *projects: str, **more: Any) -> list[Any]:
    """Return the objects of the chart, as Helm renders them for the cluster's version."""
    return rendered(*projects, version=rest.get("/version")["gitVersion"], **more)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_api_server_accepts_every_object(kubelet: Cluster, name: str, engine: str) -> None:
    rest = kubelet.rest()
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    rest.apply(space)
    try:
        more = {"kueue": {"nodeLabels": {"gpu": name}}, "metrics": {"enabled": True}}
        found = of_cluster(rest, name, engine=engine, **more)
        kinds = {each["kind"] for each in found}
        assert {"Deployment", "Service", "NetworkPolicy", "PersistentVolumeClaim"} <= kinds
        for manifest in found:
            if manifest["kind"] == "Queue":  # KAI's kinds are not installed
                assert {*manifest["spec"]["resources"]} == {"gpu", "cpu", "memory"}
                continue
            if manifest["metadata"].get("namespace") == "jupyterhub":
                manifest["metadata"]["namespace"] = name
            rest.apply(manifest, dry_run=True)
    finally:
        leave(rest, name)


def test_metrics_have_a_service_and_only_scrapers_reach_them(kubelet: Cluster, name: str) -> None:
    rest = kubelet.rest()
    assert not [each for each in of_cluster(rest) if each["metadata"]["name"].endswith("-metrics")]
    metrics = {"enabled": True, "serviceMonitor": {"enabled": True, "labels": {"release": name}}}
    found = {
        (each["kind"], each["metadata"]["name"]): each for each in of_cluster(rest, metrics=metrics)
    }
    service = found["Service", "gpuquota-metrics"]
    monitor = found["ServiceMonitor", "gpuquota-metrics"]
    labels = service["metadata"]["labels"]
    wanted = monitor["spec"]["selector"]["matchLabels"]
    assert {key: labels.get(key) for key in wanted} == wanted
    assert monitor["metadata"]["labels"]["release"] == name
    policy = found["NetworkPolicy", "gpuquota"]["spec"]["ingress"]
    [rule] = [each for each in policy if each["ports"] == [{"port": "metrics"}]]
    assert rule["from"][0]["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "prometheus"}
    https = [each for each in policy if each["ports"] == [{"port": "https"}]]
    assert rule["from"][0] not in https[0]["from"]
    assert (
        "c.Controller.metrics"
        in found["ConfigMap", "gpuquota"]["data"]["jupyter_gpuquota_config.py"]
    )


def test_its_roles_are_those_of_the_manifests(kubelet: Cluster) -> None:
    manifests = yaml.safe_load_all(MANIFESTS.read_text())
    roles = [each for each in manifests if each["kind"] == "ClusterRole"]
    assert [each for each in of_cluster(kubelet.rest()) if each["kind"] == "ClusterRole"] == roles


# ── For real ─────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Site:
    """A release of the chart, and a Hub whose users' servers find its controller.

    On this machine there is no network of pods: the controller reaches the API server by
    `kubeconfig`, with its service account's token, and sessions through port-forwards.
    """

    cluster: Cluster
    hub: Hub
    rest: Rest
    namespace: str
    team: str
    kubeconfig: Path

    @property
    def made(self) -> str:
        """The team whose namespace the chart makes."""
        return f"{self.team}-made"

    def helm(self, *words: str, values: Mapping[str, Any] | None = None) -> str:
        """Run Helm in the release's namespace."""
        place = (f"--kubeconfig={self.cluster.kubeconfig()}", f"--namespace={self.namespace}")
        return helm(*words, *place, values=values)

    def install(self, **more: Any) -> None:
        """Install the release, or upgrade it."""
        config = [
            f"c.KubernetesConfig.kubeconfig = {str(self.kubeconfig)!r}",
            "c.KubernetesConfig.reach = 'port-forward'",
            "c.KubernetesConfig.shares = ['whole', 'milli']",
            "c.GpuQuota.history_interval = 1",
        ]
        files = self.hub.files
        self.rest.apply(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "tls", "namespace": self.namespace},
                "type": "kubernetes.io/tls",
                "stringData": {
                    "tls.crt": files.certificate.read_text(),
                    "tls.key": files.key.read_text(),
                },
            }
        )
        given = values(
            engine="kueue",
            kueue={
                "milliResource": MILLI_GPU,
                "nodeLabels": {"nvidia.com/gpu.product": GPU_NODE},
                "priorityClasses": False,
            },
            hub={"apiUrl": f"{self.hub.url}/hub/api"},
            tls={"secret": "tls"},
            roles=False,
            admins=[{"user": f"hub:{BOSS}"}],
            storage={"storageClass": "test-csi"},
            metrics={"enabled": True},
            config="\n".join(config),
            **more,
        )
        given["projects"] = [
            {"name": self.team, "namespace": False, "quota": 2, **PEOPLE},
            {"name": self.made, "quota": 0.5},
        ]
        self.helm("upgrade", "--install", self.namespace, str(CHART), values=given)

    def let_in(self) -> None:
        """Write the kubeconfig of the controller's service account."""
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{self.namespace}/token"
        kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
        body = {**kind, "spec": {"expirationSeconds": 3600}}
        token = json.loads(self.rest.request("POST", path, body))["status"]["token"]
        with_token(self.cluster.kubeconfig(), token, self.kubeconfig)

    def pods(self) -> list[Any]:
        """Return the pods of the controller, the newest one first."""
        found = self.rest.get(self.rest.path("v1", "Pod", self.namespace))["items"]
        return sorted(found, key=lambda each: each["metadata"]["creationTimestamp"], reverse=True)

    def ready(self, other: str = "", port: int = HTTPS) -> int:
        """Return a real port of the controller once it is ready in another pod than `other`."""
        for pod in self.pods():
            states = pod["status"].get("containerStatuses", [])
            if states and all(each["ready"] for each in states) and pod["metadata"]["uid"] != other:
                return forwards(pod)[port]
        return 0

    def said(self) -> str:
        """Return the last lines of the controller's log."""
        path = self.rest.path("v1", "Pod", self.namespace, self.pods()[0]["metadata"]["name"])
        return self.rest.request("GET", f"{path}/log?tailLines=20").decode()


@pytest.fixture(scope="module")
def site(
    kubelet: Cluster, module_teams: Teams, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    assert INSTALLED.is_dir(), "JupyterHub is not installed in .venv-hub: `make test-hub` does that"
    folder, rest = tmp_path_factory.mktemp("chart"), kubelet.rest()
    space = module_teams.plain("hub", processes=True).namespace
    team = module_teams.plain("ml", processes=True).namespace
    make_priorities(rest)
    for manifest in yaml.safe_load_all(MANIFESTS.read_text()):
        rest.apply(manifest)
    with TemporaryDirectory(prefix="hub-") as short:
        hub = Hub(Path(short))
        site = Site(kubelet, hub, rest, space, team, folder / "kubeconfig")
        site.install()
        try:
            site.let_in()
            hub.found = f"https://localhost:{until(site.ready, site.said)}"
            with hub.running():
                yield site
        finally:
            site.helm("uninstall", space, "--ignore-not-found")
            leave(rest, site.made)


@pytest.fixture(scope="module")
def people(site: Site) -> list[Person]:
    return site.hub.people("ana", "li")


def launch(person: Person, project: str) -> str:
    """Launch a session as a person, and return its path once it runs."""
    asked = {"name": "exp-1", "project": project, "gpu": 0.5, "command": ["sleep", "600"]}
    made = person.ask("POST", "/sessions", {**asked, "environment": "i:1"})
    assert made.status == 201, made.body
    path = f"/sessions/{made.body['id']}"
    until(lambda: person.ask("GET", path).body["state"] == "running", person.hub.said)
    return path


def test_what_it_installs_is_in_use(site: Site) -> None:
    path = site.rest.path("coordination.k8s.io/v1", "Lease", site.namespace, site.namespace)
    assert site.rest.get(path)["spec"]["holderIdentity"]
    space = site.rest.get(site.rest.path("v1", "Namespace", "", site.made))
    assert space["metadata"]["labels"][RESTRICTED] == "restricted"
    quotas = {site.team: 2000, site.made: 500}
    boss = site.hub.token_of(BOSS)

    def are_counted() -> bool:
        found = site.hub.asked_directly(boss, "/quota").body["projects"]
        return {each["name"]: each["quota"] for each in found} == quotas

    until(are_counted, site.said)
    address = f"http://127.0.0.1:{site.ready(port=METRICS)}/metrics"
    with urlopen(address, timeout=patience()) as answer:  # noqa: S310 (our own)
        scraped = answer.read().decode()
    for name, milli in quotas.items():
        assert f'gpuquota_gpus_quota{{project="{name}"}} {milli / 1000}' in scraped


def test_two_people_share_a_team_through_their_hub(site: Site, people: list[Person]) -> None:
    ana, li = people
    about = ana.ask("GET", "/about").body
    assert (about["user"], about["backend"]) == ("hub:ana", "kubernetes")
    quotas = {each["name"]: each["quota"] for each in ana.ask("GET", "/quota").body["projects"]}
    assert quotas == {site.team: 2000, site.made: 500}
    path = launch(ana, site.team)
    seen = li.ask("GET", path).body
    assert (seen["owner"], seen["state"]) == ("hub:ana", "running")
    stranger = site.hub.asked_directly(site.hub.token_of("bo"), path)
    assert (stranger.status, stranger.body["code"]) == (404, "NotFound")


def test_an_upgrade_keeps_sessions_and_history(site: Site, people: list[Person]) -> None:
    ana, _ = people
    old, known = site.pods()[0]["metadata"]["uid"], ana.ask("GET", "/sessions").body["items"]
    boss = site.hub.token_of(BOSS)
    levels = [{"level": f"project:{site.team}", "rules": {"idle_timeout": "2h"}}]
    revision = site.hub.asked_directly(boss, "/policy").body["revision"]
    policy = {"levels": levels, "revision": revision}
    changed = site.hub.asked_directly(boss, "/policy", "PUT", policy)
    assert changed.status == 200, changed.body
    before = until(lambda: history(site, boss), site.said)
    site.install(settings={"rules": {"consolidate": True}})
    # Without a Service, its port is another one now.
    site.hub.found = f"https://localhost:{until(lambda: site.ready(other=old), site.said)}"
    found = site.hub.asked_directly(ana.token, "/sessions").body["items"]
    assert [each["id"] for each in found] == [each["id"] for each in known]
    assert site.hub.asked_directly(boss, "/rules").body["consolidate"] is True
    entries = site.hub.asked_directly(boss, "/audit").body["items"]
    assert [(each["who"], each["what"]) for each in entries] == [
        (f"hub:{BOSS}", "changed the policy")
    ]
    first = history(site, boss)[0]
    assert first["at"] == before[0]["at"]
    assert first["seconds"] >= before[0]["seconds"] > 0


def history(site: Site, token: str) -> list[Any]:
    """Return what the controller has recorded of the team's use, the oldest first."""
    answer = site.hub.asked_directly(token, f"/history?hours=1&project={site.team}")
    found: list[Any] = answer.body["points"]
    return found


def test_what_it_leaves_when_it_is_uninstalled(site: Site) -> None:
    site.helm("uninstall", site.namespace)
    until(lambda: not site.pods(), site.said)
    kept = site.rest.get(site.rest.path("v1", "PersistentVolumeClaim", site.namespace))["items"]
    assert [each["metadata"]["name"] for each in kept] == [site.namespace]
    space = site.rest.get(site.rest.path("v1", "Namespace", "", site.made))
    assert space["status"]["phase"] == "Active"
    sessions = site.rest.get(site.rest.path("apps/v1", "StatefulSet", site.team))["items"]
    assert len(sessions) == 1
