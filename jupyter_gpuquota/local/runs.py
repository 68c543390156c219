"""Runs of the sessions of this machine, also of those that have ended."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress

from ..control.board import Board
from ..control.runs.reading import PATIENCE, ScriptRuns
from ..errors import StorageFailed, Unavailable
from .sessions.launch_spec import without_server
from .state.state import State


def open_runs(board: Board, state: State) -> ScriptRuns:
    """Return what reads runs in the folder of a session, with the environment of its last run."""

    async def ask(session_id: str, words: tuple[str, ...]) -> str:
        session = board.find(session_id)
        launch = await asyncio.to_thread(state.folder(session).launch, session.run)
        env = without_server(launch.env) if launch else {**os.environ, **session.spec.env}
        return await _output(words, session.spec.folder, env)

    return ScriptRuns(ask)


async def _output(words: tuple[str, ...], folder: str, env: dict[str, str]) -> str:
    """Return what this Python prints. Raises StorageFailed, Unavailable."""
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, cwd=folder, env=env, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
        )
    except OSError as error:
        raise StorageFailed(
            f"{folder} cannot be used: {error.strerror}.", hint="Check that it is there."
        ) from error
    try:
        async with asyncio.timeout(PATIENCE):
            out, said = await process.communicate()
    except TimeoutError as error:
        text = f"Reading runs took longer than {PATIENCE} seconds."
        raise Unavailable(text, hint="Check MLFLOW_TRACKING_URI.") from error
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return (out or said).decode(errors="replace")
