"""When credentials are loaded anew."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.connection.logins import RENEW_AFTER, Logins, find

pytestmark = pytest.mark.asyncio


@dataclass(frozen=True)
class Token:
    """The credentials of these tests."""

    number: int
    expires: datetime | None = None


class Source:
    """Gives token after token, which a server may accept."""

    def __init__(self, expires: datetime | None = None) -> None:
        self.now = 100.0
        self.loads = 0
        self.expires = expires
        self.accepted = {1}
        self.broken = False
        self.logins = Logins(self.load, lambda: self.now)

    async def load(self, _used: Token | None) -> Token:
        self.loads += 1
        await asyncio.sleep(0)
        if self.broken:
            raise Fault(0, "Credentials", "the program failed")
        return Token(self.loads, self.expires)

    async def ask(self, token: Token) -> int:
        await asyncio.sleep(0)
        if token.number not in self.accepted:
            raise Fault(401, "Unauthorized", "no")
        return token.number

    async def used(self) -> int:
        return await self.logins.use(self.ask)


async def refused(source: Source) -> str:
    with pytest.raises(Fault) as caught:
        await source.used()
    return caught.value.reason


async def test_what_has_ended_is_loaded_once_for_all_calls():
    source = Source()
    assert await source.used() == 1
    source.accepted = {2}
    assert await asyncio.gather(*[source.used() for _ in range(5)]) == [2] * 5
    assert source.loads == 2


async def test_what_was_never_accepted_is_loaded_again_after_a_while():
    source = Source()
    source.accepted = {3}
    assert [await refused(source) for _ in range(3)] == ["Unauthorized"] * 3
    assert source.loads == 1
    source.now += RENEW_AFTER
    assert await refused(source) == "Unauthorized"
    assert source.loads == 2
    source.now += RENEW_AFTER
    assert await source.used() == 3


async def test_what_expires_is_loaded_before_it_does():
    source = Source(datetime.now(UTC) + timedelta(seconds=30))
    source.accepted = {1, 2}
    assert await source.used() == 1
    source.now += RENEW_AFTER
    assert await source.used() == 2
    assert await source.used() == 2


async def test_a_program_that_fails_is_not_run_for_each_call():
    source = Source()
    assert await source.used() == 1
    source.accepted, source.broken = set(), True
    found = await asyncio.gather(*[source.used() for _ in range(5)], return_exceptions=True)
    assert sorted(fault.reason for fault in found) == ["Credentials", *["Unauthorized"] * 4]
    assert await refused(source) == "Unauthorized"
    assert source.loads == 2
    source.accepted, source.broken = {3}, False
    source.now += RENEW_AFTER
    assert await source.used() == 3


async def test_other_faults_are_not_about_credentials():
    source = Source()

    async def forbidden(_token: Token) -> None:
        raise Fault(403, "Forbidden", "no")

    for _ in range(2):
        with pytest.raises(Fault, match="Forbidden"):
            await source.logins.use(forbidden)
    assert source.loads == 1


@pytest.mark.parametrize("paths", ["/absent", "/absent:", ":/absent:/absent/too"])
async def test_a_kubeconfig_that_does_not_exist_is_named(paths: str):
    with pytest.raises(Unavailable, match=f"The kubeconfig {paths} does not exist"):
        find("", "", {"KUBECONFIG": paths})
    assert find("", "", {"KUBECONFIG": f"{paths}:{__file__}"}).kubeconfig
