"""Unused real Jupyter Servers while the clock jumps.

Four minutes pass in a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.errors import Outdated, WrongState
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import launch, until
from tests.lean import served
from tests.local.conftest import Start, wait_for
from tests.local.policies import put_policy, set_policy, warned

pytestmark = pytest.mark.asyncio

RATE = 240.0
FAST = {"idle_interval": 240}
RULES = {"idle_timeout": "20m", "warn_before": "8m", "cpu_busy": 90}
MINUTE = timedelta(minutes=1)


@pytest.fixture
def clock() -> Clock:
    return Clock(RATE)


@pytest_asyncio.fixture
async def backend(make: Callable[..., Any], clock: Clock) -> Backend:
    return await make(clock=clock, **FAST)


async def unused(backend: Backend) -> str:
    """Start a session and leave it unused."""
    session = await launch(backend, gpu="0.5", **served())
    await until(backend, session.id, "running")
    return session.id


async def suspended(backend: Backend, clock: Clock, session: str, announced: datetime) -> None:
    """Wait until a session is suspended; fails if that came before it was announced."""
    await until(backend, session, lambda s: s.state in {"stopping", "suspended"})
    assert clock.now() >= announced
    ended = await until(backend, session, "suspended")
    assert ended.reason.code == "IdleTimeout"


async def test_a_controller_that_is_killed_and_comes_back_too_late_warns_again(
    elsewhere: Start,
) -> None:
    first = elsewhere(rate=RATE, **FAST)
    session = first.ask("launch", "exp-1", {"gpu": "0.5", **served()})["id"]
    first.ask("until", session, "running")
    first.ask("limit", RULES)
    announced = first.ask("warned", session)["idle"]
    first.kill()
    second = elsewhere(rate=RATE, ahead=7200.0, **FAST)
    again = second.ask("warned", session, announced["warned"])
    assert again["state"] == "running"
    before, now = (datetime.fromisoformat(idle["acts"]) for idle in (announced, again["idle"]))
    said = datetime.fromisoformat(again["idle"]["warned"])
    assert before < said <= now - 8 * MINUTE
    assert again["idle"]["since"] == announced["since"]
    assert second.ask("until", session, "suspended")["reason"]["code"] == "IdleTimeout"
    second.ask("close")


@pytest.mark.parametrize("jump", [timedelta(hours=5), -timedelta(hours=5)])
async def test_a_clock_that_jumps_ends_nobody_without_a_new_warning(
    backend: Backend, clock: Clock, jump: timedelta
) -> None:
    session = await unused(backend)
    await set_policy(backend, **RULES)
    first = (await warned(backend, session)).idle
    clock.ahead += jump
    second = (await warned(backend, session, after=first.warned)).idle
    assert second.acts - second.warned >= 8 * MINUTE
    assert abs(second.warned - first.warned - jump) < timedelta(hours=1)
    await suspended(backend, clock, session, second.acts)
    stretches = await backend.policing.recorded(datetime.fromtimestamp(0, UTC))
    assert all(stretch.begin <= stretch.end for stretch in stretches)


async def test_keeping_alive_in_the_last_second_counts(backend: Backend, clock: Clock) -> None:
    session = await unused(backend)
    await set_policy(backend, **RULES, keep_alive="20m", keep_alives=9)
    found = (await warned(backend, session)).idle
    left = clock.real(found.acts - clock.now())
    await asyncio.sleep(left - 0.004)  # one second is left
    kept = (await backend.policing.keep_alive(session, 0)).kept
    assert kept.until >= found.acts + 19 * MINUTE
    again = (await warned(backend, session, after=found.warned)).idle
    assert again.acts >= kept.until
    await suspended(backend, clock, session, again.acts)
    with pytest.raises(WrongState):
        await backend.policing.keep_alive(session, 0)


async def test_of_two_admins_one_is_told_to_look_again(backend: Backend) -> None:
    session = await unused(backend)
    await set_policy(backend, **RULES)
    await warned(backend, session)
    revision = backend.policing.policy().revision
    rules = [{**RULES, "idle_timeout": "10h"}, {**RULES, "idle_timeout": "0"}]
    answers = await asyncio.gather(
        *(put_policy(backend, revision, "everyone", **each) for each in rules),
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers] == [type(None), Outdated]
    ruling = {rule.rule: rule.value for rule in (await backend.policing.ruling(session)).rules}
    assert ruling["idle_timeout"] == "10h"
    await until(backend, session, lambda s: s.idle.warned is None)
    looked = (await backend.policing.activity(session)).at

    async def passed() -> bool:
        return (await backend.policing.activity(session)).at >= looked + 40 * MINUTE

    await wait_for(passed)
    await until(backend, session, "running")
