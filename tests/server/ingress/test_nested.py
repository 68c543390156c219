"""A JupyterLab that is a session itself."""

from __future__ import annotations

from typing import Any

import pytest
from tornado.httpclient import AsyncHTTPClient

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


async def test_its_error_pages_lead_back_to_the_outer_jupyterlab(site: Site) -> None:
    headers = {"Authorization": f"token {site.token}", "Accept": "text/html"}
    response = await AsyncHTTPClient().fetch(
        site.url("/api"),
        method="POST",
        body="",
        headers={**headers, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        raise_error=False,
    )
    assert response.code == 403
    assert b'href="/user/ana/lab"' in response.body
