"""What all Python tests share: a Jupyter whose folders are not those of whoever runs the tests."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ("pytest_jupyter.jupyter_server",)


@pytest.fixture(autouse=True, scope="session")
def _jupyter_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests and the processes they start from the user's configuration and servers.

    `JUPYTER_NO_CONFIG` leaves the configuration folder below as the only one: what set-up has
    put into the environment for the demo plays no part.
    """
    folder = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_NO_CONFIG", "1")
        for name in ("CONFIG", "DATA", "RUNTIME"):
            patch.setenv(f"JUPYTER_{name}_DIR", str(folder / name.lower()))
        # Left over when the tests themselves run inside a Jupyter or a session of ours.
        ours = ("JPY_", "GPUQUOTA_", "JUPYTER_GPUQUOTA_")
        for name in [name for name in os.environ if name.startswith(ours)]:
            patch.delenv(name)
        yield


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """Let what the tests start be interrupted: a shell's background job would ignore that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def jp_server_config() -> dict[str, dict[str, object]]:
    """Configure the Jupyter Server of `jp_fetch`: our extension, and no open endpoint."""
    return {
        "ServerApp": {
            "jpserver_extensions": {"jupyter_gpuquota": True},
            "allow_unauthenticated_access": False,
        }
    }
