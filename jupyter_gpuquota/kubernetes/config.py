"""Configuration of the kubernetes backend: `c.KubernetesConfig`."""

from __future__ import annotations

from traitlets import Dict, Enum, Float, List, Unicode

from .engine_config import EngineConfig
from .names import PREFIXES
from .pod_config import PodConfig
from .shares.registry import NAMES


class KubernetesConfig(PodConfig, EngineConfig):
    """Settings of the cluster and of its sessions."""

    kubeconfig = Unicode(
        help="""File with the cluster's address and the credentials; several as in KUBECONFIG.
        Default: that variable, else ~/.kube/config, else the service account of the pod.""",
    ).tag(config=True)

    context = Unicode(help="Context of the kubeconfig. Default: its current one.").tag(config=True)

    namespaces = List(
        Unicode(),
        help="Namespaces of the projects. Empty: all that the engine knows as projects.",
    ).tag(config=True)

    def watched(self) -> tuple[str, ...]:
        """Return the namespaces to watch, empty for all."""
        shared = (self.dataset_namespace,) if self.dataset_namespace else ()
        return tuple(dict.fromkeys((*self.namespaces, *shared))) if self.namespaces else ()

    user_prefixes = Dict(
        Unicode(),
        default_value=dict(PREFIXES),
        help="""What is put before names of users and groups when the cluster is asked for their
        rights, by authenticator: a Hub's user ana is `hub:ana` in the cluster's rules, her group
        ml `hub:ml`. Without a prefix, a Hub's users have the rights of the cluster's users of the
        same name. Other authenticators have their name and a colon as a prefix.""",
    ).tag(config=True)

    lease = Unicode(
        help="""The Lease of a controller for many people (hosting by https), NAMESPACE/NAME: while
        one controller holds it, others wait. Default: jupyter-gpuquota in the namespace of the
        controller's credentials, else in the namespace jupyter-gpuquota.""",
    ).tag(config=True)

    shares = List(
        Enum(NAMES),
        help="""The ways of sharing GPUs to use, the preferred one first. Empty: all that the nodes
        offer, and of those that cost the same the one that isolates best.""",
    ).tag(config=True)

    reach = Enum(
        ("auto", "service", "port-forward"),
        default_value="auto",
        help="""How pages of sessions are reached. `service`: at their Services, from inside the
        cluster. `port-forward`: through the API server, from outside; JupyterLab and the controller
        have to run on the same machine. `auto`: `service` in a pod, else `port-forward`.""",
    ).tag(config=True)

    prometheus_url = Unicode(
        help="""Address of a Prometheus that has the metrics of NVIDIA's DCGM exporter, for example
        http://prometheus-server.monitoring. Without one, the use of GPUs is unknown, and sessions
        with GPUs are never idle.""",
    ).tag(config=True)

    prometheus_token_file = Unicode(
        help="File with a bearer token for the Prometheus, read for every request.",
    ).tag(config=True)

    prometheus_ca_file = Unicode(
        help="File with the CA certificate of the Prometheus. Default: those of the system.",
    ).tag(config=True)

    snapshot_timeout = Float(
        600.0,
        help="Seconds that the driver of a volume has to make a snapshot of it.",
    ).tag(config=True)

    snapshot_copy_drivers = List(
        Unicode(),
        help="""CSI drivers whose snapshots copy files one after another, besides those that are
        known to: what is written meanwhile may be in such a copy or not.""",
    ).tag(config=True)
