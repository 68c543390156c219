"""Which examples a run of the tests has: the same ones for a commit, others in each storm."""

import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest

CONFTEST = Path(__file__).resolve().parents[2] / "conftest.py"
AUTHOR = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]


def chosen(conftest, profile, given=None, **run):
    """Return the seed of a run with these options."""
    option = SimpleNamespace(hypothesis_profile=profile, hypothesis_seed=given)
    config = SimpleNamespace(option=option, **run)
    conftest.pytest_configure(config)
    return option.hypothesis_seed


@pytest.fixture
def ours(pytestconfig):
    return pytestconfig.pluginmanager.get_plugin(str(CONFTEST))


@pytest.fixture
def elsewhere(tmp_path):
    """Return the module from a folder that is not in Git."""
    spec = spec_from_file_location("conftest_elsewhere", shutil.copy(CONFTEST, tmp_path))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commit(folder, message):
    words = [*AUTHOR, "commit", "--quiet", "--allow-empty", "--message", message]
    subprocess.run(["git", "-C", folder, *words], check=True)


@pytest.mark.parametrize("profile", [None, "quick"])
def test_a_run_has_the_same_seed_as_the_one_before(ours, profile):
    assert chosen(ours, profile) == chosen(ours, profile)


def test_each_commit_has_other_examples(elsewhere, tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    seeds = set()
    for message in ("one", "two"):
        commit(tmp_path, message)
        seeds.add(chosen(elsewhere, None))
    assert len(seeds) == 2


def test_outside_git_the_seed_is_a_constant(elsewhere):
    assert chosen(elsewhere, None) == str(elsewhere.SEED_OUTSIDE_GIT)


def test_storms_differ(ours):
    assert chosen(ours, "storm") != chosen(ours, "storm")


@pytest.mark.parametrize("profile", [None, "storm"])
@pytest.mark.parametrize("given", ["7", "0"])
def test_a_given_seed_is_used(ours, profile, given):
    assert chosen(ours, profile, given) == given


def test_a_parallel_worker_has_the_seed_of_its_run(ours):
    assert chosen(ours, "storm", workerinput={"hypothesis_seed": "7"}) == "7"
