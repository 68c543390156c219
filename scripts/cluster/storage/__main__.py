"""Run the storage driver of a test cluster, until this process is killed."""

from __future__ import annotations

import http.client
import sys
import threading
import time
import traceback
from pathlib import Path

from ..layout import Layout
from ..rest import Refused, Rest
from .folders import Folders
from .provisioning import Provisioner
from .snapshots import Snapshotter

PAUSE = 0.2
"""Seconds between two looks while a claim or a snapshot waits."""
IDLE = 2.0
"""Seconds between two looks when nothing waits and nothing changes."""
GATHERING = 0.05
"""Seconds in which changes gather before they are looked at."""


def main() -> None:
    """Look whenever something has changed, and while something waits."""
    layout = Layout.load(Path(sys.argv[1]))
    rest = Rest.of(layout.kubeconfig("storage"), keeps=True)
    folders = Folders(layout.pods / "storage", layout.pods / "claims")
    changed = threading.Event()
    workers = (Provisioner(rest, folders, changed.set), Snapshotter(rest, folders, changed.set))
    while True:
        changed.clear()
        waiting = [_step(worker) for worker in workers]
        changed.wait(PAUSE if any(waiting) else IDLE)
        time.sleep(GATHERING)


def _step(worker: Provisioner | Snapshotter) -> bool:
    try:
        return worker.step()
    except (Refused, OSError, http.client.HTTPException):
        traceback.print_exc()  # the API server is away, or somebody else was faster
        return True


main()
