"""A session's container is found by its name: sidecars may come first, as Istio's does."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.kubernetes.objects.pods import DEFAULT_CONTAINER, Pod

PROXY = {"name": "istio-proxy", "state": {"running": {}}, "imageID": "proxy@sha256:00"}
ENDED = {"name": "session", "state": {"terminated": {"exitCode": 1}}, "imageID": "lab@sha256:11"}


def pod(*names: str, named: str = "session", statuses: Any = ()) -> Pod:
    annotations = {DEFAULT_CONTAINER: named} if named else {}
    containers = [{"name": name, "image": f"{name}:1"} for name in names]
    raw = {
        "metadata": {"name": "gpu-exp-1-0", "annotations": annotations},
        "spec": {"containers": containers},
        "status": {"containerStatuses": list(statuses)},
    }
    return msgspec.convert(raw, Pod)


@pytest.mark.parametrize("names", [("istio-proxy", "session"), ("session", "istio-proxy")])
def test_the_state_of_a_session_is_not_that_of_its_proxy(names: tuple[str, ...]) -> None:
    found = pod(*names, statuses=[PROXY, ENDED])
    assert (found.main.name, found.main.image) == ("session", "session:1")
    assert found.main_status
    assert found.main_status.state.terminated
    assert found.main_status.image_id == "lab@sha256:11"


def test_a_container_that_has_no_status_yet_is_not_that_of_its_proxy() -> None:
    assert pod("istio-proxy", "session", statuses=[PROXY]).main_status is None


@pytest.mark.parametrize("named", ["", "gone"])
def test_without_a_name_it_is_the_first(named: str) -> None:
    assert pod("lab", "proxy", named=named).main.name == "lab"
    assert pod(named=named).main.name == named
