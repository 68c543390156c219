"""Labels of the test cluster's own."""

from __future__ import annotations

DOMAIN = "test.jupyter-gpuquota.github.io"

PODS = f"{DOMAIN}/pods"
"""On a namespace, `processes`: its pods are real processes. Others only look like running."""

POD = f"{DOMAIN}/pod"
"""Set on such a pod, `process`."""

FORWARD = f"{DOMAIN}/forward"
"""Annotation of such a pod: where its ports really are, `8888=34567,9000=34568`."""

DRIVER = f"csi.{DOMAIN}"
"""The driver of the storage classes `test-csi` and `test-csi-waits`, whose volumes are folders."""
