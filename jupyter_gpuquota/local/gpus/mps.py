"""NVIDIA MPS: check its control daemon, and terminate clients before they are killed.

A client that finds no daemon runs without limits, and killing a busy client by signal is
undefined (docs.nvidia.com/deploy/mps).
"""

from __future__ import annotations

import logging
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_log = logging.getLogger(__name__)
_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Mps:
    """Controls the MPS daemon at `pipe_dir` through NVIDIA's own program."""

    program: str
    pipe_dir: str

    def answers(self) -> bool:
        """Return whether a control daemon responds now."""
        return self._ask("get_server_list") is not None

    def end_clients(self, pids: Iterable[int]) -> list[int]:
        """Have the daemon terminate clients, and return those that it had."""
        wanted = set(pids)
        ended = []
        for server in _numbers(self._ask("get_server_list")):
            for client in _numbers(self._ask(f"get_client_list {server}")):
                if client in wanted:
                    self._ask(f"terminate_client {server} {client}")
                    ended.append(client)
        return ended

    def _ask(self, command: str) -> str | None:
        """Send one command and return its output; None if the daemon does not respond."""
        if not self.program or not Path(self.pipe_dir).is_dir():
            return None
        env = {**os.environ, "CUDA_MPS_PIPE_DIRECTORY": self.pipe_dir}
        try:
            done = subprocess.run(
                [self.program],
                input=f"{command}\n",
                capture_output=True,
                text=True,
                env=env,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            _log.info("MPS does not respond in %s: %s", self.pipe_dir, error)
            return None
        return done.stdout if done.returncode == 0 else None


def _numbers(answer: str | None) -> list[int]:
    return [int(word) for word in (answer or "").split() if word.isdecimal()]
