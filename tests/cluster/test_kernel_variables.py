"""Variables of a kernel in a pod, asked for by a shell outside of the cluster."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.kernels.attach import AttachedKernel, attach
from jupyter_gpuquota.kernels.session_server import SessionServer
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.sessions import EndpointQuery, Session
from tests.cluster.data_sites import Site
from tests.cluster.snapshots import snapshot_site
from tests.cluster.test_snapshot_code import reached
from tests.contract.helpers import until
from tests.kernels.conftest import run

pytestmark = pytest.mark.asyncio

NAMES = "weights,lacking,api_token"
CELL = "weights = list(range(200_000)); api_token = 'hunter-22222'; code = (x for x in ())"


async def executed(site: Site, session: Session, *command: str) -> str:
    """Return what a program prints in a session."""
    body = ExecRequest(command=command, timeout=200)
    found = await site.ask("sessions.exec", args={"id": session.id}, body=body)
    assert found.exit_code == 0, found.output
    return str(found.output)


def execute(kernel: AttachedKernel, cell: str) -> None:
    """Run a cell; not in the event loop, which forwards what is sent."""
    with closing(kernel.channels()) as channels:
        run(channels, cell)


class Outside:
    """A shell outside of the cluster, with the token of a session's owner."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self._folder = folder
        self._variables = {**os.environ, "HOME": str(folder), **variables}

    @classmethod
    async def of(cls, site: Site, session: Session, folder: Path) -> Outside:
        """Return the shell of a session's owner."""
        script = """
import json, os
names = ("JUPYTER_GPUQUOTA_URL", "JUPYTER_GPUQUOTA_TOKEN_FILE", "JUPYTER_GPUQUOTA_CA")
url, *paths = (os.environ[name] for name in names)
print(json.dumps([url, *(open(path).read() for path in paths)]))
"""
        url, token, ca = json.loads(await executed(site, session, "python3", "-c", script))
        folder.mkdir()
        (folder / "token").write_text(token)
        (folder / "token").chmod(0o600)
        (folder / "ca").write_text(ca)
        variables = {
            "JUPYTER_GPUQUOTA_URL": url,
            "JUPYTER_GPUQUOTA_TOKEN_FILE": str(folder / "token"),
            "JUPYTER_GPUQUOTA_CA": str(folder / "ca"),
        }
        return cls(folder, variables)

    async def gpu(self, *words: str) -> Any:
        """Return what a command prints."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "jupyter_gpuquota.ui.cli", *words, "--json"),
            cwd=self._folder,
            env=self._variables,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, wrong = await process.communicate()
        assert process.returncode == 0, wrong.decode()
        return json.loads(said)

    async def kernel_part(self, *words: str) -> tuple[dict[str, Any] | None, list[str]]:
        """Take a snapshot; return the part with variables, and its problems."""
        taken = await self.gpu("snapshot", "create", "exp", *words)
        manifest = (await self.gpu("snapshot", "show", taken["id"]))["manifest"]
        problems = [e["message"] for e in manifest.get("problems", ()) if e["part"] == "kernel"]
        return manifest.get("kernel"), problems


async def test_a_shell_outside_stores_variables_of_a_kernel_in_a_pod(
    kubelet: Any, teams: Any, tmp_path: Path
) -> None:
    site = await snapshot_site(kubelet, teams, tmp_path)
    async with reached(site, tmp_path):
        await site.set_up()
        session = await until(site.backend, (await site.launch("exp", data=())).id, "running")
        shell = await Outside.of(site, session, tmp_path / "outside")
        part, problems = await shell.kernel_part("--variables", NAMES)
        assert (part, problems) == (None, ["The session has no kernel with variables."])

        endpoint = await site.ask(
            "sessions.endpoint", args={"id": session.id}, query=EndpointQuery()
        )
        server = SessionServer(endpoint)
        first = await asyncio.to_thread(attach, server, "first.ipynb")
        await asyncio.to_thread(execute, first, CELL)
        part, problems = await shell.kernel_part("--variables", f"{NAMES},code")
        assert part
        assert (part["names"], problems) == (["weights"], [])
        reasons = {each["name"]: each["reason"] for each in part["skipped"]}
        assert "generator cannot be pickled" in reasons.pop("code")
        assert reasons == {
            "api_token": "It may be a secret, by its name.",
            "lacking": "There is no such variable.",
        }
        left = "import pathlib; print(len(list(pathlib.Path.home().rglob('*.zip'))))"
        assert await executed(site, session, "python3", "-c", left) == "0\n"

        await asyncio.to_thread(attach, server, "second.ipynb")
        part, [problem] = await shell.kernel_part("--variables", "weights")
        assert part is None
        assert "first.ipynb, second.ipynb. Name one of them." in problem
        part, _ = await shell.kernel_part("--variables", "weights", "--notebook", "first.ipynb")
        assert part
        assert part["names"] == ["weights"]
