"""The package loads little: it is imported in users' kernels and by every Jupyter Server."""

import json
import sys
import tomllib
from importlib.metadata import entry_points
from subprocess import run

import pytest
from traitlets.config import Configurable

import jupyter_gpuquota
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.hosting.backends import GROUP
from jupyter_gpuquota.ports.backend import Backend
from tests.architecture.sources import ROOT

FOREIGN = {
    "IPython",
    "ipywidgets",
    "jupyter_server",
    "numpy",
    "pandas",
    "prometheus_client",
    "psutil",
    "pynvml",
    "sqlite3",
    "tornado",
    "traitlets",
}


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a statement."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    result = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout))


def test_the_package_alone_loads_nothing_beside_itself():
    loaded = loaded_by("import jupyter_gpuquota")
    ours = {name for name in loaded if name.startswith("jupyter_gpuquota")}
    assert ours <= {"jupyter_gpuquota", "jupyter_gpuquota._version"}
    assert not loaded & (FOREIGN | {"asyncio", "msgspec"})


def test_the_client_loads_no_framework():
    loaded = loaded_by("from jupyter_gpuquota import Client")
    assert "jupyter_gpuquota.client" in loaded
    assert not loaded & FOREIGN


def test_a_command_loads_neither_a_framework_nor_the_channels_of_kernels():
    assert not loaded_by("import jupyter_gpuquota.ui.cli") & {*FOREIGN, "websocket", "zmq"}


def test_a_program_is_never_looked_through_by_the_garbage_collector():
    statement = "import gc, sys, jupyter_gpuquota.ui.cli"
    check = "sys.exit(not (gc.isenabled() and gc.get_freeze_count() > 10_000))"
    run([sys.executable, "-c", f"{statement}; {check}"], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = jupyter_gpuquota.nothing_of_this_name


def test_every_registered_backend_can_be_opened(tmp_path):
    found = entry_points(group=GROUP)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {entry.name: entry.value for entry in found} == project["entry-points"][GROUP]
    for entry in found:
        plugin = entry.load()
        assert issubclass(plugin.config, Configurable)
        backend = plugin.open(GpuQuota(), plugin.config(), tmp_path / entry.name)
        assert isinstance(backend, Backend)
        assert backend.name == entry.name
