"""GPU hours by user add up to what the projects had."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.usage.buckets import Bucket
from jupyter_gpuquota.core.usage.history import sum_up

HOUR = 3600


def used(project: str, user: str, hours: int, **fields: int) -> Bucket:
    """Return buckets of a whole GPU for some hours."""
    return Bucket(
        at=0,
        project=project,
        user=user,
        seconds=hours * HOUR,
        allocated=1000 * hours * HOUR,
        **fields,
    )


def test_who_had_the_most_comes_first_and_the_rest_last() -> None:
    found = sum_up(
        [
            used("team-b", "", 9),
            used("team-a", "", 10, borrowed=4000 * HOUR, asked=500 * HOUR),
            used("team-a", "ana", 1, asked=500 * HOUR),
            used("team-a", "ben", 2, borrowed=1500 * HOUR, busy=80 * HOUR, measured=HOUR),
            used("team-a", "ben", 2, borrowed=500 * HOUR, busy=40 * HOUR, measured=HOUR),
            used("team-c", "", 0),
        ]
    )
    told = [(u.project, u.user, u.allocated, u.borrowed, u.waited, u.utilisation) for u in found]
    assert told == [
        ("team-a", "ben", 4000, 2000, 0, 60),
        ("team-a", "ana", 1000, 0, 500, None),
        ("team-a", "", 5000, 2000, 0, None),
        ("team-b", "", 9000, 0, 0, None),
    ]


def test_what_nobody_is_named_for_keeps_its_utilisation() -> None:
    whole = used("team-a", "", 1, busy=70 * HOUR, measured=HOUR)
    assert [u.utilisation for u in sum_up([whole])] == [70]


def test_a_session_on_cpus_has_no_gpu_hours() -> None:
    assert sum_up([Bucket(at=0, project="a", user=u, seconds=HOUR) for u in ("", "ana")]) == ()


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["", "ana", "ben", "cho"])),
        st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)),
    )
)
def test_all_of_a_project_adds_up_to_it_but_for_rounding(
    parts: dict[tuple[str, str], tuple[int, int]],
) -> None:
    """A part without a name is of users who were not recorded."""
    users = [
        Bucket(at=0, project=project, user=user, seconds=1, allocated=held, asked=waited)
        for (project, user), (held, waited) in parts.items()
        if user
    ]
    for project in "ab":
        own = [values for (name, _), values in parts.items() if name == project]
        held, waited = (sum(value[i] for value in own) for i in (0, 1))
        users.append(Bucket(at=0, project=project, seconds=1, allocated=held, asked=waited))
        told = [u for u in sum_up(users) if u.project == project]
        for total, field in ((held, "allocated"), (waited, "waited")):
            assert abs(sum(getattr(u, field) for u in told) - total / HOUR) <= len(own) / 2
        assert sum_up(users) == sum_up(users[::-1])
