"""Serve JupyterLab for the browser tests, in a throw-away folder and with simulated GPUs.

    python serve.py PORT [CONFIG [APP]]

CONFIG is the file beside this one that configures the Jupyter Server, another than most tests use.
APP is `jupyterlab` or `notebook`, which is Notebook 7 as `make test-browser` installs it.
Jupyter's own folders are redirected, so neither the configuration nor the servers of whoever runs
the tests play a part; whatever the tests have started ends together with the server.

Sessions may run in the environment `lean`, which has no JupyterLab and starts in half of the time.
"""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
NOTEBOOK = Path(sys.prefix) / "notebook"
sys.path.insert(0, str(HERE.parents[1]))

from scripts.contained import run_contained  # noqa: E402 (found through the line above)
from tests.lean import make_lean  # noqa: E402 (likewise)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment that keeps a Jupyter Server and its children inside a folder."""
    places = {
        "JUPYTER_CONFIG_DIR": folder / "config",
        "JUPYTER_DATA_DIR": folder / "data",
        "JUPYTER_RUNTIME_DIR": folder / "runtime",
        "JUPYTERLAB_GALATA_ROOT_DIR": folder / "root",
        "GPUQUOTA_TEST_STATE_DIR": folder / "state",
        "TMPDIR": folder / "tmp",  # Galata makes folders there and leaves them
        "GPUQUOTA_TEST_LEAN": folder / "lean",
    }
    for place in places.values():
        place.mkdir()
    shutil.copy(HERE / "jupyter_gpuquota_config.py", places["JUPYTER_CONFIG_DIR"])
    make_lean(places["GPUQUOTA_TEST_LEAN"])
    redirected = {name: str(place) for name, place in places.items()}
    redirected["PATH"] = os.pathsep.join([str(without_node(folder)), os.environ["PATH"]])
    # In a virtual environment its own etc/jupyter, where the demo's settings are, would win.
    return {**os.environ, **redirected, "JUPYTER_PREFER_ENV_PATH": "0"}


def without_node(folder: Path) -> Path:
    """Return a folder with a `node` that does nothing.

    Each JupyterLab that starts has the real one run Yarn twice, to ask where extensions come from.
    """
    programs = folder / "bin"
    programs.mkdir()
    node = programs / "node"
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)
    return programs


def variables_of(app: str) -> dict[str, str]:
    """Return where an application is, or a driver, that is outside the site-packages."""
    if "GPUQUOTA_TEST_GPUS" in os.environ:
        return {"PYTHONPATH": str(HERE / "driver")}
    if app != "notebook":
        return {}
    return {
        "PYTHONPATH": str(NOTEBOOK),
        "JUPYTERLAB_DIR": str(NOTEBOOK / "share" / "jupyter" / "lab"),
    }


def main(port: str, config: str = "jupyter_server_test_config.py", app: str = "jupyterlab") -> int:
    """Serve until told to stop; return the server's exit code."""
    command = [sys.executable, "-m", app, f"--port={port}", "--ip=127.0.0.1"]
    command.append(f"--config={HERE / config}")
    if os.geteuid() == 0:
        command.append("--allow-root")
    # Short, because the path of a unix socket has to fit into 107 bytes.
    with TemporaryDirectory(prefix="gpuquota-ui-") as folder:
        return run_contained(command, {**environment(Path(folder)), **variables_of(app)})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
