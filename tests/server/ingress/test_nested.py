"""A JupyterLab that is a session itself."""

from __future__ import annotations

from typing import Any

import pytest
from tornado.httpclient import AsyncHTTPClient

from jupyter_gpuquota.server.bases import outer_base
from tests.server.ingress.conftest import Site


@pytest.fixture
def jp_base_url() -> str:
    return "/user/ana/gpuquota/s/sabc/"


async def test_other_sessions_open_beside_it_not_below_it(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}"}
    options: dict[str, Any] = {"follow_redirects": False, "raise_error": False}
    response = await AsyncHTTPClient().fetch(site.url("/lab?a=1"), headers=headers, **options)
    assert response.code == 302
    wanted = f"/user/ana/gpuquota/s/{site.session.id}/lab?a=1"
    assert response.headers["Location"] == wanted


@pytest.mark.parametrize(
    ("base_url", "outer"),
    [
        ("/", "/"),
        ("/user/ana/", "/user/ana/"),
        ("/gpuquota/s/x/", "/"),
        ("/a%40b/gpuquota/s/x/gpuquota/s/y/", "/a%40b/"),
        ("/gpuquota/s/", "/gpuquota/s/"),
    ],
)
def test_the_outer_base_url_is_that_of_the_first_jupyterlab(base_url: str, outer: str) -> None:
    assert outer_base(base_url) == outer
