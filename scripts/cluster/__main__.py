"""A real Kubernetes control plane for tests: etcd, API server, controllers, scheduler, KWOK, Kueue.

No container runs: nodes and pods are KWOK's, and a pod can be a process of this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from . import cluster
from .build import ensure_built
from .supervisor import serve


def main() -> int:
    """Run one command, and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.cluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="build what is missing, and print the folder")
    for name, text in (
        ("up", "start a cluster in a folder, and print the administrator's kubeconfig"),
        ("down", "end the cluster in a folder"),
        ("serve", "run a cluster until standard input ends"),
        ("stop", "end one of its programs: apiserver, kueue, scheduler, …"),
        ("start", "start that program again"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("folder", type=Path)
        if name in ("start", "stop"):
            command.add_argument("program")
        if name == "serve":
            command.add_argument("build", type=Path)
            command.add_argument("--detached", action="store_true")
    run = commands.add_parser("run", help="run a command beside a cluster of its own")
    run.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND")
    try:
        return _obey(parser.parse_args())
    except (RuntimeError, FileNotFoundError, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 1


def _obey(options: argparse.Namespace) -> int:
    match options.command:
        case "build":
            print(ensure_built())
        case "up":
            print(cluster.up(options.folder.resolve()).kubeconfig())
        case "down":
            cluster.down(options.folder.resolve())
        case "run":
            return cluster.run(options.words)
        case "serve":
            return asyncio.run(serve(options.folder, options.build, detached=options.detached))
        case "stop":
            cluster.Cluster(options.folder).stop(options.program)
        case "start":
            cluster.Cluster(options.folder).start(options.program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
