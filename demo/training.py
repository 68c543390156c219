"""The volume, the training and the snapshots of the demo.

    python demo/training.py [FOLDER]

`make lab` and Binder run this after `shapes.py`, as the training reads that dataset. It does
nothing if the volume is there, or on anything but simulated GPUs of this machine.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import GpuQuotaError, NameTaken, NotAllowed, Unsupported

VOLUME = "scratch"
SESSION = "shapes-baseline"
SCRIPT = '''\
"""Fit the mean colour of the shapes by gradient descent."""

RATE = {rate}

weight = 0.0
for epoch in range(20):
    loss = (weight - 1) ** 2
    weight -= RATE * 2 * (weight - 1)
print(f"loss {{loss:.4f}}")
'''


def main(folder: str = str(Path(sys.prefix) / "var" / "gpuquota-demo")) -> int:
    """Create the volume, train in a folder, and take two snapshots; return an exit code."""
    client = Client()
    try:
        about = client.about()
        if about.backend != "local" or not about.simulated:
            return 0
        if VOLUME in [each.name for each in client.volumes.list()]:
            return 0
        make(client, Path(folder))
    except (NameTaken, NotAllowed, Unsupported):
        return 0  # somebody else's controller, or an earlier run of the demo
    except GpuQuotaError as error:
        sys.stderr.write(f"The demo's snapshots could not be made: {error}\n")
        return 1
    return 0


def make(client: Client, folder: Path) -> None:
    """Create the volume, train in a folder, and take a snapshot before and after a change."""
    description = "for results, shared by the project"
    client.volumes.create(VOLUME, size="10Gi", description=description)
    folder.mkdir(parents=True, exist_ok=True)
    loss = _train(folder, rate=0.01)
    client.sessions.submit(
        SESSION,
        wait=True,
        kind="train",
        gpu=0.25,
        folder=str(folder),
        data=["shapes@v1"],
        volumes=[f"{VOLUME}:/results"],
        command=[sys.executable, "train.py"],
    )
    for _ in client.sessions.logs(SESSION, follow=True):
        pass  # it has ended where its log has
    client.snapshots.create(SESSION, "first try", tags=["baseline"], metrics={"loss": loss})
    loss = _train(folder, rate=0.1)
    client.snapshots.create(SESSION, "a larger learning rate", metrics={"loss": loss})


def _train(folder: Path, *, rate: float) -> float:
    """Write the script with a learning rate, run it, and return its loss."""
    script = folder / "train.py"
    script.write_text(SCRIPT.format(rate=rate))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    found = re.search(r"loss ([\d.]+)", done.stdout)
    return float(found[1]) if found else 0.0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
