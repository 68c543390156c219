"""The cache of another service's answers."""

from __future__ import annotations

import asyncio
import gc

import pytest

from jupyter_gpuquota.control.answers import Answers

pytestmark = pytest.mark.asyncio


class Service:
    """A service that answers questions, or refuses to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.error: Exception | None = None
        self.hold = asyncio.Event()
        self.hold.set()

    async def answer(self, question: str) -> str:
        self.asked.append(question)
        await self.hold.wait()
        if self.error:
            raise self.error
        return question.upper()


async def test_each_answer_has_a_lifetime_of_its_own() -> None:
    service, now = Service(), [0.0]
    answers = Answers(lambda answer: 60.0 if answer == "YES" else 5.0, clock=lambda: now[0])

    async def ask(question: str) -> str:
        return await answers.get(question, lambda: service.answer(question))

    for _ in range(3):
        assert (await ask("yes"), await ask("no")) == ("YES", "NO")
    assert service.asked == ["yes", "no"]
    now[0] = 6.0
    assert (answers.known("yes"), answers.known("no"), answers.known("why")) == ("YES", None, None)
    await ask("yes")
    await ask("no")
    assert service.asked == ["yes", "no", "no"]
    now[0] = 60.0
    await ask("yes")
    assert service.asked[3:] == ["yes"]
    answers.forget("yes")
    await ask("yes")
    assert service.asked[4:] == ["yes"]


async def test_an_answer_in_use_is_renewed_before_its_end() -> None:
    service, now = Service(), [0.0]
    answers = Answers[str, str](lambda _: 60.0, clock=lambda: now[0], renew=30.0)

    async def ask() -> str:
        found = await answers.get("a", lambda: service.answer("a"))
        await asyncio.sleep(0)
        return found

    await ask()
    now[0] = 29.0
    assert (await ask(), answers.due("a"), service.asked) == ("A", False, ["a"])
    service.hold.clear()
    now[0] = 30.0
    for _ in range(3):
        assert (await ask(), service.asked) == ("A", ["a", "a"])
    service.hold.set()
    await asyncio.sleep(0.01)
    now[0] = 89.0
    service.error = OSError("away")
    assert (await ask(), len(service.asked)) == ("A", 3)
    now[0] = 90.0
    with pytest.raises(OSError, match="away"):
        await ask()


async def test_many_who_ask_at_once_send_one_question() -> None:
    service = Service()
    service.hold.clear()
    answers = Answers[str, str](lambda _: 60.0)
    waiting = [
        asyncio.ensure_future(answers.get("a", lambda: service.answer("a"))) for _ in range(9)
    ]
    await asyncio.sleep(0)
    waiting.pop(0).cancel()
    service.hold.set()
    assert await asyncio.gather(*waiting) == ["A"] * 8
    assert service.asked == ["a"]


async def test_an_error_is_raised_to_all_and_not_cached() -> None:
    service = Service()
    answers = Answers[str, str](lambda _: 60.0)
    service.error = OSError("away")
    found = await asyncio.gather(
        *(answers.get("a", lambda: service.answer("a")) for _ in range(3)), return_exceptions=True
    )
    assert [str(error) for error in found] == ["away"] * 3
    service.error = None
    assert await answers.get("a", lambda: service.answer("a")) == "A"
    assert service.asked == ["a", "a"]


async def test_an_error_that_nobody_waits_for_any_more_is_silent(caplog) -> None:
    service = Service()
    service.hold.clear()
    service.error = OSError("away")
    answers = Answers[str, str](lambda _: 60.0)
    waiting = asyncio.ensure_future(answers.get("a", lambda: service.answer("a")))
    await asyncio.sleep(0)
    waiting.cancel()
    service.hold.set()
    for _ in range(5):
        await asyncio.sleep(0)
    gc.collect()
    assert service.asked == ["a"]
    assert not caplog.records


async def test_the_oldest_answers_make_room() -> None:
    service = Service()
    answers = Answers[str, str](lambda _: 60.0, limit=2)
    for question in ("a", "b", "c", "c", "a"):
        await answers.get(question, lambda question=question: service.answer(question))
    assert service.asked == ["a", "b", "c", "a"]
