"""The routes of session hosts, as whole objects."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.kubernetes.builders.session_hosts import manifest_of

HUB = ("--namespace", "hub", "--service", "proxy-public:80", "--path", "/user/")
METADATA = {
    "name": "gpu-session-hosts",
    "namespace": "hub",
    "labels": {"app.kubernetes.io/managed-by": "jupyter-gpuquota"},
}


def test_an_ingress_leads_session_hosts_to_the_hub():
    made = manifest_of(
        ["{session}.gpu.example.org", *HUB, "--tls-secret", "wildcard", "--class", "nginx"]
    )
    backend = {"service": {"name": "proxy-public", "port": {"number": 80}}}
    path = {"path": "/user/", "pathType": "Prefix", "backend": backend}
    assert made == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": METADATA,
        "spec": {
            "ingressClassName": "nginx",
            "rules": [{"host": "*.gpu.example.org", "http": {"paths": [path]}}],
            "tls": [{"hosts": ["*.gpu.example.org"], "secretName": "wildcard"}],
        },
    }


def test_an_http_route_hangs_on_a_gateway():
    made = manifest_of(["gpu-{session}.example.org:8443", *HUB, "--gateway", "edge/public"])
    assert made == {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": METADATA,
        "spec": {
            "parentRefs": [{"name": "public", "namespace": "edge"}],
            "hostnames": ["*.example.org"],
            "rules": [
                {
                    "matches": [{"path": {"type": "PathPrefix", "value": "/user/"}}],
                    "backendRefs": [{"name": "proxy-public", "port": 80}],
                    "timeouts": {"request": "0s", "backendRequest": "0s"},
                }
            ],
        },
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-placeholder.example.org", *HUB, "--gateway", "g"], "session"),
        (
            ["{session}.x.org", "--namespace", "hub", "--service", "hub", "--gateway", "g"],
            "NAME:PORT",
        ),
        (["{session}.x.org", *HUB], "--gateway"),
    ],
)
def test_wrong_arguments_are_explained(arguments, words, capsys):
    with pytest.raises(SystemExit):
        manifest_of(arguments)
    assert words in capsys.readouterr().err
