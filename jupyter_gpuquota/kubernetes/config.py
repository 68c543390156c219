"""Configuration of the kubernetes backend: `c.KubernetesConfig`."""

from __future__ import annotations

from traitlets import Dict, Enum, Float, List, Unicode
from traitlets.config import Configurable

from .engines.discovery import ENGINES
from .engines.surroundings import MILLI_RESOURCE, EngineSettings, GpuResources
from .labels import PREFIXES
from .pod_config import PodConfig
from .shares.registry import NAMES


class EngineConfig(Configurable):
    """Settings of the engine, which grants GPUs to projects."""

    engine = Enum(
        ("auto", *ENGINES),
        default_value="auto",
        help="""What grants GPUs to projects. `auto`: Kueue if the cluster has a LocalQueue, KAI
        Scheduler if it has a Queue of that, else ResourceQuotas if one limits GPUs, else none.""",
    ).tag(config=True)

    queue = Unicode(
        help="""Kueue: name of the LocalQueue of sessions in each namespace. Default: one whose
        ClusterQueue may borrow, `default` first.""",
    ).tag(config=True)

    interactive_queue = Unicode(
        help="""Kueue: name of the LocalQueue of interactive sessions in each namespace. Default:
        that of `queue`, else one whose ClusterQueue may not borrow, so that nobody reclaims
        them.""",
    ).tag(config=True)

    priority_classes = Dict(
        Unicode(),
        key_trait=Enum(("interactive", "interactive-spot", "train")),
        help="""Names of priority classes by kind of session: interactive, interactive-spot, train.
        Default: for Kueue, WorkloadPriorityClasses of the same names, where they exist; for KAI
        Scheduler build, build-preemptible, train.""",
    ).tag(config=True)

    gpu_resource = Unicode("nvidia.com/gpu", help="Resource of whole GPUs in quotas.").tag(
        config=True
    )

    milli_resource = Unicode(
        MILLI_RESOURCE,
        help="""Resource of fractions, of which each GPU has 1000, where the nodes have it. Its name
        must not end in `gpu`, or KAI Scheduler would count its units as GPUs.""",
    ).tag(config=True)

    def engine_settings(self) -> EngineSettings:
        """Return the settings."""
        return EngineSettings(
            queue=self.queue,
            interactive_queue=self.interactive_queue,
            priorities=dict(self.priority_classes),
            gpus=GpuResources(whole=self.gpu_resource, milli=self.milli_resource),
        )


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
