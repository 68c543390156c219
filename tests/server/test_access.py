"""Every route that JupyterLab serves, as every caller and unauthenticated."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.server.jupyter_mount import api_handlers
from tests.access.asking import PUBLIC, check, request_of
from tests.contract.access_table import caller
from tests.fakes import As


class Gateway:
    """A gateway to a controller chosen by the test, as a caller chosen by the test."""

    to: As

    async def dispatch(self, asked: ApiRequest) -> ApiResponse:
        return await self.to.dispatch(asked)


@pytest.fixture
def gateway(mount: Any) -> Gateway:
    gateway = Gateway()
    mount(api_handlers(gateway))
    return gateway


async def test_through_the_extension(gateway: Gateway, ask: Any) -> None:
    async def status(backend: Backend, name: str, who: str, session_id: str) -> int:
        gateway.to = As(backend, caller(who, session_id))
        return await asked(name, session_id)

    async def asked(name: str, session_id: str, **options: Any) -> int:
        row = route(name)
        args, query, body = request_of(name, session_id)
        path = f"gpuquota/api{row.path.format(**args)}" + (f"?{query}" if query else "")
        sent = msgspec.json.decode(body) if row.request else None
        return (await ask(row.method, path, sent, **options)).code

    await check(status, PUBLIC)
    for name in PUBLIC:  # nobody has even a name
        assert await asked(name, "s1", headers={}) == 403
