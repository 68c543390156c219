"""Settings that all backends share are in `GpuQuota`; their old names still work."""

from __future__ import annotations

import pytest
from traitlets import TraitError
from traitlets.config import Config

from jupyter_gpuquota.control.config import GpuQuota, moved
from jupyter_gpuquota.model.resources import Node
from tests.builders import make_node


def test_a_setting_under_its_old_name_counts_and_is_named() -> None:
    old = Config()
    old.LocalConfig.admins = ["ana"]
    old.LocalConfig.stop_grace = 3
    new, renamed = moved(old)
    assert GpuQuota(config=new).admins == ["ana"]
    assert new.LocalConfig == {"stop_grace": 3}
    assert renamed == ("c.LocalConfig.admins is now c.GpuQuota.admins.",)
    assert old.LocalConfig.admins == ["ana"]


def test_the_new_name_wins() -> None:
    config = Config()
    config.LocalConfig.admins = ["old"]
    config.GpuQuota.admins = ["new"]
    assert GpuQuota(config=moved(config)[0]).admins == ["new"]


def test_projects_are_checked_with_the_groups_of_the_nodes() -> None:
    affinity = {"name": "a", "quota": "1", "node_affinity": {"train": ["big"]}}
    config = GpuQuota(projects=[affinity])
    with pytest.raises(TraitError, match="big"):
        config.teams([make_node()])
    assert config.teams([Node(name="n1", labels=("big",))])[0].node_affinity.train == ("big",)


def test_a_host_of_sessions_is_checked() -> None:
    assert GpuQuota(ingress_host="{session}.gpu.example.org").ingress_host
    with pytest.raises(TraitError, match=r"ingress_host: .* first label"):
        GpuQuota(ingress_host="gpu.{session}.example.org")
