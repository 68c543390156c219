"""The logs of a pod's container: of its present run, and of the one before a restart."""

from __future__ import annotations

from dataclasses import dataclass

from ..api import Api, Fault
from ..objects.pods import Pod
from ..session_pods import container_of, pod_path

MOST = 64 * 2**20
"""Most bytes of a log that are asked for. A kubelet rotates it at 10 MiB, unless set otherwise."""

_NO_LOG = (400, 404)
"""Answers for a container that has not started, is gone, or was not restarted."""


@dataclass(frozen=True, slots=True)
class Source:
    """The log of one run of a container.

    `name` identifies it in cursors: the beginning of the pod's uid, and the number of restarts.
    """

    name: str
    pod: Pod
    previous: bool = False


def sources(pod: Pod | None) -> list[Source]:
    """Return the logs that the kubelet still has, oldest first."""
    if pod is None:
        return []
    container = container_of(pod)
    found = [status for status in pod.status.container_statuses if status.name == container]
    if not found:
        return []
    status, uid = found[0], pod.metadata.uid.replace("-", "")[:12]
    newest = Source(f"{uid}.{status.restart_count}", pod)
    ended_before = status.last_state.terminated is not None
    if status.state.running or status.state.terminated:
        restarted = ended_before and status.restart_count > 0
        earlier = Source(f"{uid}.{status.restart_count - 1}", pod, previous=True)
        return [earlier, newest] if restarted else [newest]
    # While it waits for its restart, the newest log is that of the run that has just ended.
    return [newest] if ended_before else []


async def fetch(
    api: Api, source: Source, *, second: str = "", lines: int = 0, limit: int = MOST
) -> bytes:
    """Return a log with time stamps: from a second on, or its last lines; empty if it is gone.

    Raises Fault.
    """
    query = {
        "container": container_of(source.pod),
        "timestamps": "true",
        "limitBytes": str(limit),
        **({"previous": "true"} if source.previous else {}),
        **({"sinceTime": second} if second else {}),
        **({"tailLines": str(lines)} if lines else {}),
    }
    try:
        return await api.read(pod_path(source.pod, "log"), query)
    except Fault as fault:
        if fault.status in _NO_LOG:
            return b""
        raise
