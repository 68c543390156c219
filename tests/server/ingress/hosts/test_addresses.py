"""Addresses at JupyterLab's host and at those of sessions."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core.hosts import Place
from jupyter_gpuquota.errors import InvalidRequest
from jupyter_gpuquota.server.ingress.hosts.addresses import Hosts, hosts_of


def test_paths_lead_there_and_back(hosts: Hosts) -> None:
    for place in (Place("sabcdefghi23"), Place("sabcdefghi23", 6006)):
        for rest in ("/", "/x/y", ""):
            path = hosts.to_lab(place, hosts.prefix_of(place) + rest)
            assert hosts.to_place(place, path) == hosts.prefix_of(place) + rest


@pytest.mark.parametrize("name", ["sabcdefghi23.gpu.test", "SABCDEFGHI23-80.gpu.test"])
def test_a_pattern_that_covers_jupyterlab_is_refused(name: str) -> None:
    config = {"GpuQuota": {"ingress_host": "{session}.gpu.test"}}
    with pytest.raises(InvalidRequest, match="JupyterLab's own host"):
        hosts_of(config, "/", ["127.0.0.1", name])
    assert hosts_of(config, "/", ["127.0.0.1", "", "lab.gpu.test"])
    assert hosts_of({}, "/", [name]) is None
