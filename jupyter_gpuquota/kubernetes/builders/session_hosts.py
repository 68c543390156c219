"""Print the route of session hosts, for `kubectl apply -f -`: see docs/kubernetes.md."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from ...core.hosts import parse
from ...errors import InvalidRequest
from .routes import SessionHosts, http_route, ingress


def manifest_of(arguments: Sequence[str]) -> dict[str, Any]:
    """Return the Ingress, or with `--gateway` the HTTPRoute; wrong arguments end the process."""
    parser = argparse.ArgumentParser(
        prog="python -m jupyter_gpuquota.kubernetes.builders.session_hosts",
        description="Print the route of session hosts, for `kubectl apply -f -`.",
    )
    parser.add_argument("hosts", help="the value of c.GpuQuota.ingress_host")
    parser.add_argument("--namespace", required=True, help="namespace of the Service")
    parser.add_argument(
        "--service", required=True, metavar="NAME:PORT", help="JupyterLab's, or the Hub's proxy"
    )
    parser.add_argument("--path", default="/", help="`/user/` behind a JupyterHub (default: /)")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--gateway", metavar="[NAMESPACE/]NAME", help="make an HTTPRoute of this one")
    way.add_argument("--tls-secret", help="make an Ingress with this wildcard certificate")
    parser.add_argument("--class", dest="class_name", default="", help="class of the Ingress")
    args = parser.parse_args(arguments)
    service, _, port = args.service.rpartition(":")
    if not service or not port.isdecimal():
        parser.error("--service: write NAME:PORT")
    try:
        parse(args.hosts)
    except InvalidRequest as error:
        parser.error(f"{error.message} {error.hint}")
    route = SessionHosts(args.hosts, args.namespace, service, int(port), args.path)
    if args.gateway:
        return http_route(route, args.gateway)
    return ingress(route, args.tls_secret, args.class_name)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(manifest_of(sys.argv[1:]), indent=2) + "\n")
