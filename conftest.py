"""What all Python tests share: a Jupyter whose folders are not those of whoever runs the tests."""

from __future__ import annotations

import os
import random
import signal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

BACKEND = "JUPYTER_GPUQUOTA_BACKEND"

pytest_plugins = ("pytest_jupyter.jupyter_server",)

# How many examples a property is tried with. `--hypothesis-profile=storm` chooses the other one;
# a test that needs more or fewer of them multiplies (`settings().max_examples * 4`).
settings.register_profile("quick", max_examples=50, deadline=None)
settings.register_profile("storm", max_examples=5_000, deadline=None)
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of all examples, unless it is given."""
    seed = getattr(config, "workerinput", {}).get("hypothesis_seed")
    seed = seed or config.option.hypothesis_seed or random.SystemRandom().randrange(2**32)
    config.option.hypothesis_seed = str(seed)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a parallel worker the same seed: of what is chosen here, it knows nothing else."""
    node.workerinput["hypothesis_seed"] = node.config.option.hypothesis_seed


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show how the same examples are made again."""
    profile = config.option.hypothesis_profile or "quick"
    seed = config.option.hypothesis_seed
    terminalreporter.write_line(
        f"Examples: --hypothesis-profile={profile} --hypothesis-seed={seed}"
    )


@pytest.fixture(autouse=True, scope="session")
def _jupyter_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests and the processes they start from the user's configuration and servers.

    `JUPYTER_NO_CONFIG` leaves the configuration folder below as the only one: what set-up has
    put into the environment for the demo plays no part. `JUPYTER_GPUQUOTA_BACKEND` is kept: tests
    that any backend passes run on that one, else on `memory`.
    """
    folder = tmp_path_factory.mktemp("jupyter")
    backend = os.environ.get(BACKEND, "memory")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_NO_CONFIG", "1")
        for name in ("CONFIG", "DATA", "RUNTIME"):
            patch.setenv(f"JUPYTER_{name}_DIR", str(folder / name.lower()))
        # Left over when the tests themselves run inside a Jupyter or a session of ours.
        ours = ("JPY_", "GPUQUOTA_", "JUPYTER_GPUQUOTA_")
        for name in [name for name in os.environ if name.startswith(ours)]:
            patch.delenv(name)
        patch.setenv(BACKEND, backend)
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
