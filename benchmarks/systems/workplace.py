"""A temporary folder with its own Jupyter, and the processes started there."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from scripts.contained import end_descendants

from .environment import OURS, Environment, Extension

ALWAYS = ("jupyter_lsp", "jupyter_server_terminals", "jupyterlab", "notebook_shim")
# Would let a Python or a Jupyter look beyond its own virtual environment.
LEAKS = ("PYTHON", "JUPYTER", "VIRTUAL_ENV", "REPORTS")

PRODUCT_CONFIG = """
c = get_config()
c.LocalConfig.devices = "simulated"
c.GpuQuota.state_dir = {state!r}
c.LocalConfig.simulated_nodes = [
    {{"name": "bench", "gpus": 8, "memory": 32768, "model": "V100-32GB"}}
]
c.GpuQuota.projects = [{{"name": "team-a", "quota": "{quota}"}}]
"""


@dataclass(frozen=True)
class Workplace:
    """A folder, short enough for a unix socket's path, and an environment."""

    folder: Path
    environment: Environment
    token: str

    @property
    def root(self) -> Path:
        """The folder whose files are served."""
        return self.folder / "root"

    @property
    def labextensions(self) -> Path:
        """The folder of the loaded front ends."""
        return self.folder / "labextensions"

    @property
    def state(self) -> Path:
        """The product's state folder."""
        return self.folder / "state"

    def variables(self) -> dict[str, str]:
        """Return the variables that keep a Jupyter and its children inside the folder."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}
        kept["PATH"] = os.pathsep.join([str(Path(self.environment.python).parent), kept["PATH"]])
        for name in ("CONFIG", "DATA", "RUNTIME"):
            kept[f"JUPYTER_{name}_DIR"] = str(self.folder / name.lower())
        return {**kept, "JUPYTER_TOKEN": self.token}

    def load(self, *extensions: Extension) -> None:
        """Make servers that start from now on load exactly these extensions."""
        modules = [*ALWAYS, *(module for each in extensions for module in each.modules)]
        enabled = {"jpserver_extensions": dict.fromkeys(modules, True)}
        self._config.write_text(json.dumps({"ServerApp": enabled}))
        chosen = self.labextensions
        for link in chosen.rglob("*"):
            if link.is_symlink():
                link.unlink()
        for name in (name for each in extensions for name in each.folders):
            (chosen / name).parent.mkdir(parents=True, exist_ok=True)
            (chosen / name).symlink_to(self.environment.labextensions / name)

    def configure(self, **settings: object) -> None:
        """Add `GpuQuota` settings for what starts from now on."""
        lines = "".join(f"c.GpuQuota.{name} = {value!r}\n" for name, value in settings.items())
        with (self.folder / "config" / "jupyter_gpuquota_config.py").open("a") as file:
            file.write(lines)

    def modules(self) -> set[str]:
        """Return the modules that servers load."""
        enabled = json.loads(self._config.read_text())["ServerApp"]["jpserver_extensions"]
        return set(enabled)

    @property
    def _config(self) -> Path:
        return self.folder / "config" / "jupyter_server_config.json"


@contextmanager
def workplace(
    environment: Environment,
    *,
    extensions: Sequence[Extension] = (OURS,),
    quota: str = "8",
    settings: Mapping[str, object] = MappingProxyType({}),
) -> Iterator[Workplace]:
    """Create a workplace; at the end all its processes are ended and the folder is removed.

    `settings` are additional `GpuQuota` settings.
    """
    with TemporaryDirectory(prefix="gq-bench-") as name:
        made = Workplace(Path(name), environment, secrets.token_hex(16))
        for part in ("config", "data", "runtime", "root", "labextensions"):
            (made.folder / part).mkdir()
        config = PRODUCT_CONFIG.format(state=str(made.state), quota=quota)
        (made.folder / "config" / "jupyter_gpuquota_config.py").write_text(config)
        made.configure(**settings)
        made.load(*extensions)
        try:
            yield made
        finally:
            end_descendants()
