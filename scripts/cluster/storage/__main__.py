"""Run the storage driver of a test cluster, until this process is killed."""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path

from ..layout import Layout
from ..rest import Refused, Rest
from .folders import Folders
from .provisioning import Provisioner
from .snapshots import Snapshotter

PAUSE = 0.2
"""Seconds between two looks."""


def main() -> None:
    """Look again and again."""
    layout = Layout.load(Path(sys.argv[1]))
    rest = Rest.of(layout.kubeconfig("storage"))
    folders = Folders(layout.pods / "storage", layout.pods / "claims")
    workers = (Provisioner(rest, folders), Snapshotter(rest, folders))
    while True:
        for worker in workers:
            try:
                worker.step()
            except (Refused, OSError):  # the API server is away, or somebody else was faster
                traceback.print_exc()
        time.sleep(PAUSE)


main()
