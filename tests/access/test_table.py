"""Every route as every caller: in the process, and through the dispatcher that decodes requests."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest
from jupyter_gpuquota.api.statuses import status_of
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.ports.backend import Backend
from tests.access.asking import ROWS, check, request_of
from tests.contract.access_contract import ask
from tests.contract.access_table import caller
from tests.fakes import As


@pytest.mark.asyncio
async def test_in_the_process() -> None:
    async def status(backend: Backend, name: str, who: str, session_id: str) -> int:
        try:
            await ask(backend, name, who, session_id)
        except GpuQuotaError as error:
            return status_of(error)
        return 200

    await check(status, ROWS)


@pytest.mark.asyncio
async def test_as_the_dispatcher_decodes_it() -> None:
    async def status(backend: Backend, name: str, who: str, session_id: str) -> int:
        args, query, body = request_of(name, session_id)
        path = route(name).path
        taken = {key: value for key, value in args.items() if f"{{{key}}}" in path}
        sent = body if route(name).request else b""
        asked = ApiRequest(route(name), args=taken, query=query, body=sent)
        try:
            answer = await As(backend, caller(who, session_id)).dispatch(asked)
        except GpuQuotaError as error:
            return status_of(error)
        if answer.lines:
            await answer.lines.aclose()
        return answer.status

    await check(status, ROWS)
