"""Everything that reaches into the pods of sessions, put together."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..control.clock import Clock
from ..control.inside.kernel_variables import SessionKernelVariables
from ..control.signals.presence import Presence
from ..model.sessions import Session
from ..model.snapshots.dumps import pod_folder
from .api import Api
from .config import KubernetesConfig
from .ingress.forwards import Forwards
from .ingress.ingress import KubeIngress, Locator, Tokens, forwards_ports
from .logs.logs import KubeLogs
from .programs.exec import KubeExec
from .programs.terminals import KubeTerminals
from .session_pods import Outside, PodOf
from .signals.prometheus import Prometheus
from .signals.signals import Fingerprints, KubeSignals
from .signals.sizing import Sizing

_PORTS = "ports"

NO_PROXY = (
    "KubernetesConfig.proxy is empty: where NetworkPolicies are enforced, neither JupyterLab nor "
    "this controller reaches sessions, and none is ever idle."
)


@dataclass(frozen=True, slots=True)
class Reaching:
    """The capabilities that reach pods, and what idleness is read from.

    `notice` is a warning for administrators, empty for none.
    """

    tokens: Tokens
    ingress: KubeIngress
    logs: KubeLogs
    exec: KubeExec
    terminals: KubeTerminals
    variables: SessionKernelVariables
    presence: Presence
    signals: KubeSignals
    sizing: Sizing
    forwards: Forwards | None
    notice: str = ""

    async def close(self) -> None:
        """Close all port-forwards. The signals are closed by their poller."""
        if self.forwards:
            await self.forwards.close()


def reaching(
    config: KubernetesConfig,
    api: Api,
    home: Path,
    find: Callable[[str], Session],
    pod_of: PodOf,
    clock: Clock,
) -> Reaching:
    """Return what reaches pods; sockets of port-forwards are in the state folder `home`."""
    forwarded = forwards_ports(config.reach, os.environ)
    forwards = Forwards(api, home / _PORTS, pod_of) if forwarded else None
    tokens, outside = Tokens(api), Outside()
    locate, metrics = Locator(tokens, forwards), prometheus(config)
    presence = Presence(clock, Fingerprints(locate))
    ingress = KubeIngress(find, locate, presence)
    programs = KubeExec(api, find, pod_of, outside)
    return Reaching(
        tokens=tokens,
        ingress=ingress,
        logs=KubeLogs(api, find, pod_of),
        exec=programs,
        terminals=KubeTerminals(api, find, pod_of, ingress, outside),
        variables=SessionKernelVariables(
            find, programs, ingress, lambda session: f"~/{pod_folder(session.id)}"
        ),
        presence=presence,
        signals=KubeSignals(locate, pod_of, clock, presence, outside, metrics),
        sizing=Sizing(pod_of, metrics),
        forwards=forwards,
        notice="" if forwards or config.proxy else NO_PROXY,
    )


def prometheus(config: KubernetesConfig) -> Prometheus | None:
    """Return the Prometheus of the configuration, None without one."""
    if not config.prometheus_url:
        return None
    return Prometheus(
        config.prometheus_url,
        token_file=config.prometheus_token_file,
        ca_file=config.prometheus_ca_file,
    )
