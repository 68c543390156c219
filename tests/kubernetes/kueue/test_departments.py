"""The Cohorts that projects are in."""

from __future__ import annotations

from jupyter_gpuquota.kubernetes.engines.kueue.queues import find_queues
from jupyter_gpuquota.kubernetes.engines.kueue.view import departments_of
from jupyter_gpuquota.model.quota import Department
from tests.kubernetes.kueue.objects import Raw, cohort, nested, recorded, state, team


def found(*raw: Raw) -> tuple[Department, ...]:
    known = state(*raw)
    return departments_of(known, find_queues(known))


def test_the_cohort_of_a_real_cluster_has_its_four_teams() -> None:
    """Each team has a Cohort of its own, which is the project, not a department."""
    teams = ("team-a", "team-b", "team-c", "team-d")
    everyone = Department(name="gpus", projects=teams, quota=16_000, limit=16_000)
    assert found(*recorded("after_reclaim")) == (everyone,)


def test_departments_are_nested_as_cohorts_are() -> None:
    raw = [
        cohort("vision", "gpus"),
        *team("eyes", 1000, cohort="vision"),
        *team("faces", 2000, cohort="vision", borrowing=0),
        *nested("team-a", 4000),
    ]
    assert found(*raw) == (
        Department(name="gpus", projects=("team-a",), quota=7000, limit=7000),
        Department(name="vision", parent="gpus", projects=("eyes", "faces"), quota=3000),
    )


def test_what_a_cohort_may_borrow_is_its_limit() -> None:
    raw = cohort("vision", "gpus")
    amount = {"name": "lab/milligpu", "nominalQuota": "500", "borrowingLimit": "1500"}
    raw["spec"]["resourceGroups"] = [
        {
            "coveredResources": ["lab/milligpu"],
            "flavors": [{"name": "v100", "resources": [amount]}],
        }
    ]
    made = found(
        raw,
        *team("eyes", 1000, cohort="vision"),
        *team("faces", 1000, cohort="vision"),
        *team("team-a", 1000),
    )
    assert [(each.name, each.quota, each.limit) for each in made] == [
        ("gpus", 3500, 3500),
        ("vision", 2500, 4000),
    ]


def test_a_team_without_a_cohort_is_in_no_department() -> None:
    assert found(*team("team-a", 1000, cohort="")) == ()


def test_cohorts_in_a_circle_end() -> None:
    raw = [cohort("one", "two"), cohort("two", "one"), *team("team-a", 1000, cohort="one")]
    made = found(*raw, *team("team-b", 1000, cohort="two"))
    assert {project for each in made for project in each.projects} == {"team-a", "team-b"}
