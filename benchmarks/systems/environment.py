"""The benchmarks' virtual environment: JupyterLab, our product and its peers.

All sides run from this one environment; configuration decides which extensions a server loads, so
that sides differ in nothing else.
"""

from __future__ import annotations

import venv
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from ..errors import CouldNotMeasure
from .product import ROOT, build_wheel, fingerprint, run

FOLDER = ROOT / ".venv-bench"
JUPYTERLAB = "jupyterlab>=4.6,<4.7"


@dataclass(frozen=True)
class Extension:
    """An extension of JupyterLab: its package, server modules and front-end folders."""

    package: str
    modules: tuple[str, ...]
    folders: tuple[str, ...]


OURS = Extension("jupyter_gpuquota", ("jupyter_gpuquota",), ("jupyter-gpuquota",))
PROXY = Extension(
    "jupyter-server-proxy", ("jupyter_server_proxy",), ("@jupyterhub/jupyter-server-proxy",)
)
PEERS = (
    Extension("jupyterlab-nvdashboard", ("jupyterlab_nvdashboard",), ("jupyterlab-nvdashboard",)),
    Extension(
        "jupyterlab-git",
        ("jupyterlab_git", "nbdime"),
        ("@jupyterlab/git", "nbdime-jupyterlab"),
    ),
    Extension("dask-labextension", ("dask_labextension",), ("dask-labextension",)),
    Extension("jupyter-scheduler", ("jupyter_scheduler",), ("@jupyterlab/scheduler",)),
)


class Environment:
    """A virtual environment of the benchmarks' own, kept between runs."""

    def __init__(self, *, peers: bool) -> None:
        self.python = str(FOLDER / "bin" / "python")
        self.labextensions = FOLDER / "share" / "jupyter" / "labextensions"
        self.missing: dict[str, str] = {}
        self._wanted = (PROXY, *PEERS) if peers else ()

    @property
    def peers(self) -> tuple[Extension, ...]:
        """Return the peers that could be installed."""
        return tuple(peer for peer in PEERS if self.has(peer))

    def has(self, extension: Extension) -> bool:
        """Return whether an extension is wanted and could be installed."""
        return extension in self._wanted and extension.package not in self.missing

    def set_up(self) -> None:
        """Install what is missing; record the peers that cannot be installed."""
        if not FOLDER.is_dir():
            print("Setting up .venv-bench …", flush=True)
            venv.create(FOLDER, with_pip=True)
        self._once("jupyterlab", JUPYTERLAB, partial(self._pip, JUPYTERLAB))
        self._once("jupyter_gpuquota", fingerprint(), self._install_ours)
        for extension in self._wanted:
            try:
                wanted = (JUPYTERLAB, extension.package)
                self._once(extension.package, " ".join(wanted), partial(self._pip, *wanted))
            except CouldNotMeasure as problem:
                self.missing[extension.package] = str(problem).splitlines()[-1]
        # Nothing is loaded unless a workplace says so: a server imports even what is disabled.
        for folder in (FOLDER / "etc" / "jupyter").glob("jupyter_*_config.d"):
            rmtree(folder)

    def _install_ours(self) -> None:
        with TemporaryDirectory(prefix="gpuquota-bench-") as folder:
            wheel = build_wheel(Path(folder))
            self._pip("--upgrade", str(wheel))
            # The version stays the same from build to build.
            self._pip("--force-reinstall", "--no-deps", str(wheel))

    def _once(self, what: str, key: str, install: Callable[[], None]) -> None:
        """Install unless already done with the same key."""
        stamp = FOLDER / "stamps" / what
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == key:
            return
        print(f"Installing {what} in .venv-bench …", flush=True)
        install()
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(key, encoding="utf-8")

    def _pip(self, *arguments: str) -> None:
        run([self.python, "-m", "pip", "install", "--quiet", *arguments])
