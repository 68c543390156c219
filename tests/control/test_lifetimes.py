"""Maximum lifetimes while the wall clock jumps."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.idle.lifetimes import Lifetimes
from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW, make_project, make_session

LIFE = timedelta(hours=8)


class Machine:
    """A machine whose wall clock may be set, with one running session on it."""

    def __init__(self, life: timedelta = LIFE) -> None:
        self.board = Board()
        project = make_project(interactive_duration=int(life.total_seconds()))
        self.board.show_settings(msgspec.structs.replace(Settings(), projects=(project,)))
        self.now, self.steady = NOW, 0.0
        self.events: list[str] = []
        self.restart()
        self.begin()

    def begin(self) -> None:
        session = make_session("exp-1", "0.5", "running")
        self.board.show(msgspec.structs.replace(session, started=self.now))
        self.check()

    def restart(self) -> None:
        """Restart the controller, which loses its memory."""
        self.lives = Lifetimes(self.board)

    def check(self) -> None:
        for session, event in list(self.lives.check(self.now, self.steady)):
            self.board.show(session)
            if event:
                self.events.append(f"{event} {round(self.steady / 60)}")

    def wait(self, minutes: float) -> None:
        """Let time pass, with a check every ten seconds."""
        for _ in range(round(minutes * 6)):
            self.now += timedelta(seconds=10)
            self.steady += 10
            self.check()

    def jump(self, **span: float) -> None:
        self.now += timedelta(**span)
        self.check()

    @property
    def session(self) -> Session:
        return self.board.sessions[0]


def test_without_a_jump_it_is_warned_ten_minutes_before_its_end() -> None:
    machine = Machine()
    machine.wait(481)
    assert machine.events == ["warn 470", "act 480"]
    assert machine.session.ends == NOW + LIFE
    assert machine.session.state == "stopping"


@pytest.mark.parametrize("days", [30, -30, 0.3, -0.3])
def test_a_jump_neither_ends_a_session_nor_lengthens_its_life(days: float) -> None:
    machine = Machine()
    machine.wait(60)
    machine.jump(days=days)
    assert machine.session.state == "running"
    machine.wait(421)
    assert machine.events == ["warn 470", "act 480"]
    assert machine.session.reason is not None
    assert "Stopped after 8 h: " in machine.session.reason.message


def test_after_a_jump_forth_and_back_its_end_is_right_again() -> None:
    machine = Machine()
    machine.wait(60)
    machine.jump(days=3650)
    machine.wait(5)
    machine.jump(days=-3650)
    assert machine.session.ends == NOW + LIFE
    assert machine.events == []


def test_who_began_by_a_wrong_clock_lives_no_longer_once_it_is_right() -> None:
    machine = Machine()
    machine.jump(days=3650)
    machine.begin()
    machine.wait(60)
    machine.jump(days=-3650)
    assert machine.session.ends == NOW + LIFE
    machine.restart()
    machine.jump(days=-1)  # nobody looked while this happened
    assert machine.session.ends == machine.now + LIFE


def test_an_unnoticed_jump_is_warned_of_before_it_ends_a_session() -> None:
    machine = Machine()
    machine.wait(60)
    machine.restart()
    machine.jump(days=30)
    assert machine.session.state == "running"
    assert machine.session.ends == machine.now + timedelta(minutes=10)
    assert machine.events == ["warn 60"]
    machine.wait(9)
    assert machine.session.state == "running"
    machine.wait(2)
    assert machine.events == ["warn 60", "act 70"]


def test_what_is_shown_stays_the_same_from_look_to_look() -> None:
    machine = Machine()
    machine.wait(475)
    seen = machine.session
    machine.wait(2)
    assert machine.session == seen


def test_a_life_of_minutes_is_lived_with_its_warning_from_the_beginning() -> None:
    machine = Machine(timedelta(minutes=5))
    machine.wait(6)
    assert machine.events == ["warn 0", "act 5"]
