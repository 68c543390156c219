"""The addresses of sessions, for any caller."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.model.addresses import address_of, outer_base
from tests.builders import make_session


@pytest.mark.parametrize(
    ("base", "outer"),
    [
        ("/", "/"),
        ("/user/ana/", "/user/ana/"),
        ("/gpuquota/s/x/", "/"),
        ("/user/ana/gpuquota/s/x/", "/user/ana/"),
        ("/a%40b/gpuquota/s/x/gpuquota/s/y/", "/a%40b/"),
        ("/gpuquota/s/x/p/8888/", "/"),
        ("/gpuquota/s/", "/gpuquota/s/"),
        ("/user/gpuquota/s/", "/user/gpuquota/s/"),
        ("/user/gpuquota/s/gpuquota/s/x/", "/user/gpuquota/s/"),
        ("https://hub.test/user/ana/gpuquota/s/x/", "https://hub.test/user/ana/"),
        ("https://hub.test/user/ana/", "https://hub.test/user/ana/"),
    ],
)
def test_the_outer_base_url_is_that_of_the_first_jupyterlab(base: str, outer: str) -> None:
    assert outer_base(base) == outer


@pytest.mark.parametrize("base_url", ["/user/ana/", "/user/ana"])
def test_an_address_begins_with_the_base_url(base_url: str) -> None:
    session = make_session("a", base_url=base_url)
    assert address_of(session) == "/user/ana/gpuquota/s/id-a/"
    assert address_of(session, "p/6006/") == "/user/ana/gpuquota/s/id-a/p/6006/"
