"""The output of programs inside sessions, whole or as it comes.

A program is an iterator over bytes, empty ones when it has started, and then its result.
"""

from __future__ import annotations

import codecs
from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec import structs

from ..model.programs import ExecEvent, ExecResult

LIMIT = 2**20
"""Maximum bytes of output that are returned."""

Parts = AsyncGenerator[bytes | ExecResult]


async def whole(program: Parts) -> ExecResult:
    """Return the result of a program with its output, which is cut at the limit."""
    kept = bytearray()
    result: ExecResult
    async with aclosing(program) as parts:
        async for part in parts:
            if isinstance(part, ExecResult):
                result = part
            elif len(kept) <= LIMIT:  # more is dropped, lest the program block
                kept += part
    output = bytes(kept[:LIMIT]).decode(errors="replace")
    return structs.replace(result, output=output, truncated=len(kept) > LIMIT)


async def events(program: Parts) -> AsyncGenerator[ExecEvent]:
    """Yield the output of a program as it comes, and its end; the first event is its start."""
    letters = codecs.getincrementaldecoder("utf-8")("replace")
    async with aclosing(program) as parts:
        async for part in parts:
            if isinstance(part, ExecResult):
                if rest := letters.decode(b"", final=True):
                    yield ExecEvent(output=rest)
                yield ExecEvent(result=part)
            else:
                yield ExecEvent(output=letters.decode(part))
