"""The histories of several clusters become one."""

from __future__ import annotations

from datetime import timedelta

from jupyter_gpuquota.core.usage.history import united
from jupyter_gpuquota.model.history import History, HistoryPoint, UserHours
from tests.builders import NOW

GAPS, SIMULATED = "Gaps: nothing was running.", "Utilisation is not available."


def history(project: str, *minutes: int, notes: tuple[str, ...] = (GAPS,)) -> History:
    points = [
        HistoryPoint(
            at=NOW + timedelta(minutes=each),
            project=project,
            seconds=60,
            allocated=1000,
            in_quota=1000,
            borrowed=0,
            requested=0,
            peak=1000,
            waiting=0,
        )
        for each in minutes
    ]
    hours = UserHours(project=project, user="me", allocated=1000, borrowed=0, waited=0)
    return History(
        points=tuple(points),
        users=(hours,),
        step=60,
        since=NOW,
        until=NOW + timedelta(hours=1),
        simulated=SIMULATED in notes,
        note=" ".join(notes),
        notes=notes,
    )


def test_points_are_in_their_order_and_users_are_all_there() -> None:
    found = united({"lab": history("a", 0, 2), "cloud": history("cloud/b", 1, 2)}, {})
    assert [point.project for point in found.points] == ["a", "cloud/b", "a", "cloud/b"]
    assert [hours.project for hours in found.users] == ["a", "cloud/b"]
    assert (found.note, found.step, found.simulated) == (GAPS, 60, False)


def test_what_is_not_true_of_all_is_said_of_those_it_is_true_of() -> None:
    lab = history("a", 0, notes=(GAPS, SIMULATED))
    found = united({"lab": lab, "cloud": history("cloud/b", 1)}, {"far": "It is away."})
    assert found.notes == (GAPS, f"lab: {SIMULATED}", "far is missing: It is away.")
    assert found.note == " ".join(found.notes)
    assert found.simulated
