"""Memory that is used up, in the words of frameworks.

`GPU_ENVIRONMENT` names a Python prefix with some of them, by default that of the tests.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.contract.backend_contract import launch, until
from tests.gpu.programs import log_of

pytestmark = pytest.mark.asyncio

PREFIX = os.environ.get("GPU_ENVIRONMENT", sys.prefix)
PIECES = {
    "torch": "torch.empty(2 ** 30, dtype=torch.uint8, device='cuda')",
    "cupy": "cupy.empty(2 ** 30, dtype='u1')",
    "jax": "jax.numpy.zeros(2 ** 28, 'uint32').block_until_ready()",
    "numba": "numba.cuda.device_array(2 ** 30, 'u1')",
    "tensorflow": "tensorflow.zeros(2 ** 28, 'int32')",
}
IMPORTS = {"jax": "jax.numpy", "numba": "numba.cuda"}


@pytest.mark.parametrize("framework", PIECES)
async def test_a_session_that_uses_up_its_memory_says_so(make, framework):
    if not any(Path(PREFIX).glob(f"lib/python3*/site-packages/{framework}/__init__.py")):
        pytest.skip(f"{PREFIX} has no {framework}.")
    backend = await make()
    imports = IMPORTS.get(framework, framework)
    code = f"import {imports}\nheld = []\nwhile True: held.append({PIECES[framework]})"
    session = await launch(
        backend,
        gpu="1",
        environment=PREFIX,
        command=("python", "-c", code),
        env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
    )
    failed = await until(backend, session.id, lambda s: s.state in {"failed", "done"})
    assert failed.reason.code == "OutOfMemory", await log_of(backend, failed)
