"""Which cookies cross where an origin is the session's alone."""

from __future__ import annotations

import pytest
from tornado.httputil import HTTPHeaders

from jupyter_gpuquota.model.sessions import Endpoint
from jupyter_gpuquota.server.ingress.protocol.headers import Outside, to_browser, to_session

TO = Endpoint(host="127.0.0.1", port=1)


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("a=1; Path=/; HttpOnly", True),
        ("a=domain; Path=/domain", True),
        ("a=1; Domain=gpu.test", False),
        ("a=1;dOmAiN = .gpu.test", False),
        ("a=1; domain", False),
        ("gpuquota-8888=x", False),
        (" GPUQUOTA-8888 =x", False),
        ("__Host-gpuquota=x; Secure; Path=/", False),
        ("=gpuquota-8888=x", False),
        ("gpuquota-8888", False),
        ("gpuquota-mine=x", True),
    ],
)
def test_programs_set_cookies_of_their_own_host_only(line: str, *, passes: bool) -> None:
    said = HTTPHeaders({"Set-Cookie": line})
    kept = to_browser(said, Outside("http", "h", "", apart=True), TO)
    assert kept.get_list("Set-Cookie") == ([line] if passes else [])
    assert "Set-Cookie" not in to_browser(said, Outside("http", "h", "/p"), TO)


def test_programs_see_their_own_cookies_and_never_the_ingresss() -> None:
    said = HTTPHeaders({"Cookie": "a=1; __Host-gpuquota=x; b=2;gpuquota-8888=y; gpuquota=z"})
    assert to_session(said, Outside("http", "h", "", apart=True), TO)["Cookie"] == "a=1; b=2"
    assert "Cookie" not in to_session(said, Outside("http", "h", "/p"), TO)
