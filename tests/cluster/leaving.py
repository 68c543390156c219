"""What tests leave: nothing on an existing cluster, nothing that works on one of their own."""

from __future__ import annotations

import os

from scripts.cluster.rest import Rest

_WORKING = (
    "/apis/kubeflow.org/v2beta1/namespaces/{}/mpijobs",
    "/apis/apps/v1/namespaces/{}/statefulsets",
    "/apis/apps/v1/namespaces/{}/deployments",
    "/apis/batch/v1/namespaces/{}/jobs",
)
"""What has pods, owners first: they would make their pods anew."""


def leave(rest: Rest, namespace: str) -> None:
    """Delete a namespace; on a cluster of the tests' own, only end what works in it.

    To delete a namespace the cluster asks for each kind of objects, which are two hundred requests.
    The tests' own cluster ends soon, with everything that lies in it.
    """
    if "KUBECONFIG_TEST" in os.environ:
        rest.delete(f"/api/v1/namespaces/{namespace}")
        return
    for path in _WORKING:
        rest.delete(path.format(namespace), propagationPolicy="Background")
    rest.delete(f"/api/v1/namespaces/{namespace}/pods", gracePeriodSeconds=0)
