"""Devices as NVIDIA's driver for Dynamic Resource Allocation offers them."""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]


def device(name: str, kind: str = "gpu", profile: str = "", memory: str = "40Gi") -> Raw:
    """Return a GPU or a MIG instance."""
    attributes = {"type": {"string": kind}, "productName": {"string": "A100"}}
    more = {"profile": {"string": profile}} if profile else {}
    return {
        "name": name,
        "attributes": {**attributes, **more, "index": {"int": 0}},
        "capacity": {"memory": {"value": memory}},
    }


WHOLE = (device("gpu-0"), device("gpu-1"))
INSTANCES = (
    device("gpu-2-mig-0", "mig", "1g.5gb", "4864Mi"),
    device("mig-1", "mig", "3g.20gb", "20096Mi"),
)


def of_node(*devices: Raw, node: str = "n1", generation: int = 1, **spec: Any) -> Raw:
    """Return a slice of a node with devices."""
    pool = {"name": node, "generation": generation, "resourceSliceCount": 1}
    name = f"{node}-{generation}"
    common = {"driver": "gpu.nvidia.com", "nodeName": node, "pool": pool, "devices": devices}
    return {"metadata": {"name": name}, "spec": {**common, **spec}}
