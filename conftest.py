"""What all Python tests share: an isolated Jupyter environment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BACKEND = "JUPYTER_GPUQUOTA_BACKEND"
ROUNDS = 2
"""Rounds of a storm in `make test`; in `make storm` as many as the storm has."""

SEED_OUTSIDE_GIT = 20261128

pytest_plugins = ("pytest_jupyter.jupyter_server",)

# How many examples a property is tried with. `--hypothesis-profile=…` chooses others;
# a test that needs more or fewer of them multiplies: `settings().max_examples // 8` where each one
# is a request to a server, or a process.
settings.register_profile("quick", max_examples=400, deadline=None)
settings.register_profile("brief", max_examples=50, deadline=None)  # for use while working
settings.register_profile("storm", max_examples=5_000, deadline=None)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for as many rounds of a storm as there is time for."""
    parser.addoption("--rounds", type=int, help="how many rounds each storm has")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of all examples and storms, unless it is given: in a storm by chance.

    Otherwise it follows from the commit: a run can be repeated, and each commit tries others.
    """
    given = getattr(config, "workerinput", {}).get("hypothesis_seed")
    given = given or config.option.hypothesis_seed
    if given is None:
        storm = _profile(config) == "storm"
        given = str(random.SystemRandom().randrange(2**32) if storm else _seed_of_commit())
    config.option.hypothesis_seed = given


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a parallel worker the same seed: of what is chosen here, it knows nothing else."""
    node.workerinput["hypothesis_seed"] = node.config.option.hypothesis_seed


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the storms, which ask for their rounds, and what needs the second S3 server."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "rounds" in fixtures:
            item.add_marker("storm")
        if "versitygw" in fixtures:
            item.add_marker("rare")


def pytest_report_header(config: pytest.Config) -> str:
    """Show how the same run is made again."""
    return _choices(config)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show it at the end, too, where it is found after a failure."""
    terminalreporter.write_line(_choices(config))


def _choices(config: pytest.Config) -> str:
    profile, seed = _profile(config), config.option.hypothesis_seed
    rounds = f" --rounds={config.option.rounds}" if config.option.rounds else ""
    return f"Examples: --hypothesis-profile={profile} --hypothesis-seed={seed}{rounds}"


def _seed_of_commit() -> int:
    """Return a number that is the commit's own; a constant where the tests are not in Git."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return SEED_OUTSIDE_GIT
    return int(commit[:8], 16)


def _profile(config: pytest.Config) -> str:
    return config.option.hypothesis_profile or "quick"


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Callable[..., int]:
    """Return how many rounds a storm of `full` rounds has in this run.

    Where a round takes many seconds, the storm says how many are enough for `make test`.
    """
    wanted = request.config.option.rounds
    storm = _profile(request.config) == "storm"
    return lambda full, quick=ROUNDS: wanted or (full if storm else min(full, quick))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return what a storm's chance begins with: the same in every worker of a run."""
    return int(request.config.option.hypothesis_seed)


@pytest.fixture(autouse=True, scope="session")
def _jupyter_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Isolate the tests and their processes from the user's configuration and servers.

    `JUPYTER_NO_CONFIG` makes the configuration folder below the only one, so that the demo's
    configuration in the environment has no effect. `JUPYTER_GPUQUOTA_BACKEND` is kept: tests that
    any backend passes run on that one, else on `memory`.
    """
    folder = tmp_path_factory.mktemp("jupyter")
    backend = os.environ.get(BACKEND, "memory")
    # Every process of Jupyter leaves a folder in it. Its path is short: sockets may be below it.
    temporary = TemporaryDirectory(prefix="gpuq-", ignore_cleanup_errors=True)
    with temporary, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", temporary.name)
        patch.setenv("JUPYTER_NO_CONFIG", "1")
        for name in ("CONFIG", "DATA", "RUNTIME"):
            patch.setenv(f"JUPYTER_{name}_DIR", str(folder / name.lower()))
        # Left over when the tests themselves run inside a Jupyter or a session of ours.
        ours = ("JPY_", "GPUQUOTA_", "JUPYTER_GPUQUOTA_")
        for name in [name for name in os.environ if name.startswith(ours)]:
            patch.delenv(name)
        patch.setenv(BACKEND, backend)
        patch.setenv("TZ", "UTC")  # texts have times of the machine's zone
        time.tzset()
        yield


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """Make processes started by tests interruptible: background jobs of a shell ignore SIGINT."""
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


@pytest.fixture
def jp_nbconvert_templates() -> None:
    """Copy no templates of nbconvert, which no test uses, for each server."""
