"""Whether kinds of workloads may be made with the controller's own credentials."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from ...control.answers import Answers, Clock
from ...errors import Unavailable
from ..api import Api
from ..resources import Resource
from .reviews import KNOWN, RENEW, Reviews
from .roles import OWN, Right


class KindRights:
    """Asks for the rights on kinds of objects; answers are at most a minute old."""

    def __init__(self, api: Api, clock: Clock = time.monotonic) -> None:
        self._reviews = Reviews(api, OWN, clock)
        self._known: Answers[tuple[str, str, Sequence[str]], str] = Answers(
            lambda _: KNOWN, clock=clock, renew=RENEW
        )

    async def lacking(self, kind: Resource[Any], project: str, verbs: Sequence[str]) -> str:
        """Return the first right that is missing in a project, as `create mpijobs`, empty for none.

        While the cluster does not say, none is: the write itself will tell.
        """
        rights = [Right(verb, kind.plural, kind.group) for verb in verbs]

        async def ask() -> str:
            found = await asyncio.gather(
                *(self._reviews.allowed(None, right, project) for right in rights)
            )
            lacking = (right for right, has in zip(rights, found, strict=True) if not has)
            return str(next(lacking, ""))

        try:
            return await self._known.get((kind.path(), project, verbs), ask)
        except Unavailable:
            return ""
