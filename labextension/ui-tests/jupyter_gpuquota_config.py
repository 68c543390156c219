"""Configuration for the browser tests: the demo's GPUs, simulated unless a test has a driver.

`JUPYTER_GPUQUOTA_BACKEND=memory` has such GPUs by itself, and no need of `LocalConfig`. On a
cluster the only project is one namespace.
"""

import os

c = get_config()  # Jupyter defines it before it runs this file

c.LocalConfig.devices = "simulated"
c.LocalConfig.debugger = True
c.LocalConfig.environments = [os.environ["GPUQUOTA_TEST_LEAN"]]
c.GpuQuota.state_dir = os.environ["GPUQUOTA_TEST_STATE_DIR"]
c.LocalConfig.simulated_nodes = [
    {"name": name, "gpus": 8, "memory": 32768, "model": "V100-32GB"}
    for name in ("dgx1-1", "dgx1-2")
]
if namespace := os.environ.get("GPUQUOTA_TEST_NAMESPACE"):
    c.KubernetesConfig.namespaces = [namespace]
    c.KubernetesConfig.shares = ["whole", "milli"]
if "GPUQUOTA_TEST_GPUS" in os.environ:
    c.LocalConfig.devices = "nvml"
    c.LocalConfig.poll_interval = 0.5
else:
    c.GpuQuota.projects = [
        {"name": "team-a", "quota": "4"},
        {"name": "team-b", "quota": "2"},
        {"name": "team-c", "quota": "2"},
        {"name": "team-d", "quota": "8"},
    ]
if "GPUQUOTA_TEST_CLUSTERS" in os.environ:
    c.GpuQuota.cluster_name = "lab"
    c.GpuQuota.clusters = {
        "cloud": {
            "backend": "local",
            "LocalConfig": {
                "devices": "simulated",
                "simulated_nodes": [{"name": "gpu-1", "gpus": 4, "memory": 81920, "model": "H100"}],
            },
            "GpuQuota": {"projects": [{"name": "ml", "quota": "4"}]},
        }
    }
# A timeout takes two looks at least: short ones can be waited for. A policy is set by tests only.
c.GpuQuota.idle_interval = 2
