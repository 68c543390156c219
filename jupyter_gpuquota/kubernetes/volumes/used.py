"""How full volumes are, as kubelets measure it and a Prometheus keeps it. Pure."""

from __future__ import annotations

from ..signals.measured import namespace_of, samples

Key = tuple[str, str]
"""Namespace and name of a claim."""

QUERY = (
    "max by (namespace, persistentvolumeclaim, exported_namespace) "
    "(last_over_time(kubelet_volume_stats_used_bytes[1h]))"
)
"""A kubelet measures a volume only while it is mounted, so what it said last counts for an hour.

https://kubernetes.io/docs/reference/instrumentation/metrics/
"""


def read(answer: bytes) -> dict[Key, int]:
    """Return the bytes that are used of each claim.

    Raises ValueError for a refusal, MsgspecError.
    """
    used: dict[Key, int] = {}
    for labels, value in samples(answer):
        key = (namespace_of(labels), labels.get("persistentvolumeclaim", ""))
        if all(key):
            used[key] = max(round(value), used.get(key, 0))
    return used
