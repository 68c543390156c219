"""Which examples a run of the tests has: always the same ones, except in a storm."""

from pathlib import Path
from types import SimpleNamespace

import pytest

CONFTEST = Path(__file__).resolve().parents[2] / "conftest.py"


@pytest.fixture
def seed(pytestconfig):
    """Returns the seed of a run with these options."""

    def chosen(profile, given=None, **run):
        option = SimpleNamespace(hypothesis_profile=profile, hypothesis_seed=given)
        config = SimpleNamespace(option=option, **run)
        pytestconfig.pluginmanager.get_plugin(str(CONFTEST)).pytest_configure(config)
        return option.hypothesis_seed

    return chosen


@pytest.mark.parametrize("profile", [None, "quick"])
def test_a_run_has_the_same_seed_as_the_one_before(seed, profile):
    assert seed(profile) == seed(profile)


def test_storms_differ(seed):
    assert seed("storm") != seed("storm")


@pytest.mark.parametrize("profile", [None, "storm"])
def test_a_given_seed_is_used(seed, profile):
    assert seed(profile, "7") == "7"


def test_a_parallel_worker_has_the_seed_of_its_run(seed):
    assert seed("storm", workerinput={"hypothesis_seed": "7"}) == "7"
