"""Rules for all projects."""

from __future__ import annotations

from typing import TypedDict, Unpack

import msgspec

from ..model.projects import RulesRequest
from ..model.quota import Rules as Answer
from ..model.struct import Number
from .namespace import Namespace


class Settings(TypedDict, total=False):
    """The fields of `RulesRequest` that may be set."""

    grace: Number
    min_runtime: Number
    consolidate: bool


class Rules(Namespace):
    """The rules for all projects; admins set them."""

    def get(self) -> Answer:
        """Return the rules."""
        answer: Answer = self._context.call("rules.get")
        return answer

    def put(self, **settings: Unpack[Settings]) -> Answer:
        """Change the rules; what is left out stays as it is.

        Raises InvalidFields, NotAllowed, and Outdated if another admin changed them meanwhile.
        """
        answer: Answer = self._context.call("rules.put", body=self._request(settings))
        return answer

    def _request(self, settings: Settings) -> RulesRequest:
        old = self.get()
        present = RulesRequest(
            grace=old.grace,
            min_runtime=old.min_runtime,
            consolidate=old.consolidate,
            revision=old.revision,
        )
        return msgspec.structs.replace(present, **settings)
