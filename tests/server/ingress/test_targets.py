"""Look-ups are shared, and a fresh one starts after the call."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.model.sessions import Endpoint
from jupyter_gpuquota.server.ingress.targets import Targets
from tests.builders import make_session

ID = make_session("a").id


class Controller:
    """A controller that answers when the test says so, with where it listened at that time."""

    def __init__(self) -> None:
        self.asked: list[asyncio.Future[ApiResponse]] = []

    async def dispatch(self, asked: ApiRequest) -> ApiResponse:
        assert asked.args == {"id": ID}
        self.asked.append(asyncio.get_running_loop().create_future())
        return await self.asked[-1]

    async def say(self, number: int, port: int) -> None:
        """Answer a question."""
        await settle()
        body = msgspec.json.encode(Endpoint(host="127.0.0.1", port=port))
        self.asked[number].set_result(ApiResponse(200, body))


def find(targets: Targets, *, fresh: bool = False) -> asyncio.Task[Endpoint]:
    return asyncio.ensure_future(targets.find(ID, 0, fresh=fresh))


async def settle() -> None:
    """Let all pending callbacks run."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_all_who_ask_at_once_share_one_look_up() -> None:
    controller = Controller()
    targets = Targets(controller)
    asking = [find(targets) for _ in range(50)]
    await settle()
    asking += [find(targets) for _ in range(50)]
    await controller.say(0, 1)
    assert {place.port for place in await asyncio.gather(*asking)} == {1}
    assert (await targets.find(ID, 0)).port == 1
    assert len(controller.asked) == 1


async def test_a_fresh_answer_is_to_a_question_that_was_asked_after_the_call() -> None:
    """A caller that connects during a look-up may have reached a later listener."""
    controller = Controller()
    targets = Targets(controller)
    early = find(targets, fresh=True)
    await settle()
    late = [find(targets, fresh=True) for _ in range(50)]
    await settle()
    assert len(controller.asked) == 1
    await controller.say(0, 1)
    assert (await early).port == 1
    await settle()
    assert not any(each.done() for each in late)
    await controller.say(1, 2)
    assert {place.port for place in await asyncio.gather(*late)} == {2}
    assert len(controller.asked) == 2


async def test_what_was_asked_before_a_change_is_forgotten_with_it() -> None:
    controller = Controller()
    targets = Targets(controller)
    before = find(targets)
    await settle()
    targets.forget()
    after = find(targets)
    await controller.say(1, 2)
    await controller.say(0, 1)
    assert [(await each).port for each in (before, after)] == [1, 2]
    assert (await targets.find(ID, 0)).port == 2


async def test_a_failure_is_everybodys_and_is_not_kept() -> None:
    controller = Controller()
    targets = Targets(controller)
    asking = [find(targets) for _ in range(3)]
    await settle()
    controller.asked[0].set_exception(OSError("gone"))
    assert all(
        isinstance(each, OSError) for each in await asyncio.gather(*asking, return_exceptions=True)
    )
    again = find(targets)
    await controller.say(1, 7)
    assert (await again).port == 7


async def test_a_caller_that_leaves_does_not_cancel_the_answer_of_others() -> None:
    controller = Controller()
    targets = Targets(controller)
    first, second = find(targets), find(targets)
    await settle()
    first.cancel()
    await settle()
    await controller.say(0, 1)
    assert (await second).port == 1


async def test_malformed_ids_are_not_requested() -> None:
    controller = Controller()
    for wrong in ("", "..", "x" * 100, "a b"):
        with pytest.raises(NotFound):
            await Targets(controller).find(wrong, 0)
    assert not controller.asked
