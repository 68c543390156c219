"""Variables that are kept while a session restarts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..core import keeping
from ..errors import GpuQuotaError
from ..model.rightsizing import ResizeRequest
from ..ports.backend import Backend, require
from .audit import entered
from .call import Call


@asynccontextmanager
async def kept(backend: Backend, call: Call) -> AsyncIterator[None]:
    """Keep the variables that a request names; forget them again if the block fails.

    Raises InvalidFields, NotAllowed, and the block is not entered, unless all of them are kept.
    """
    request: ResizeRequest = call.body
    if not request.keep:
        yield
        return
    able, session = require(backend, "variables", backend.variables), call.target
    call.rights.check("exec", session, "keep variables of")
    local_files = backend.at(session.spec.project).inventory.local_files
    keeping.check(session, local_files=local_files)
    await entered(backend, call, "kept variables of")
    try:
        keeping.check_written(await able.write(session.id, request.keep, request.notebook))
        yield
    except GpuQuotaError:
        await able.forget(session.id, request.notebook)
        raise
