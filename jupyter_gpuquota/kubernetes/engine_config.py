"""Configuration of the engine: part of `c.KubernetesConfig`."""

from __future__ import annotations

from traitlets import Dict, Enum, Unicode
from traitlets.config import Configurable

from .engines.amounts import MILLI_RESOURCE, GpuResources
from .engines.discovery import ENGINES
from .engines.surroundings import EngineSettings


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
