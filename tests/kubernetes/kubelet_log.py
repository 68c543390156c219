"""The log API of a kubelet, as `k8s.io/cri-client/pkg/logs` reads log files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from jupyter_gpuquota.kubernetes.api import Fault


class KubeletLog:
    """The log files of a container: of this run, and of the previous one if it was restarted."""

    def __init__(self, *lines: tuple[str, str]) -> None:
        self.lines = list(lines)
        self.previous: list[tuple[str, str]] | None = None
        self.asked: list[Mapping[str, Any]] = []

    def __call__(self, query: Mapping[str, Any]) -> bytes:
        """Answer a query with time stamps."""
        self.asked.append(query)
        assert query["timestamps"] == "true"
        lines = self.lines
        if query.get("previous"):
            if self.previous is None:
                raise Fault(400, "BadRequest", "previous terminated container not found")
            lines = self.previous
        if count := int(query.get("tailLines", 0)):
            lines = lines[-count:]
        if since := query.get("sinceTime", ""):
            lines = [line for line in lines if _at(line[0]) >= _at(since)]
        text = "".join(f"{stamp} {text}" for stamp, text in lines)
        return text.encode()[: int(query["limitBytes"])]


def stamp(number: int) -> str:
    """Return a time stamp with 10 of them in a second."""
    return f"2026-01-01T00:00:{number // 10:02}.{number % 10}00000000Z"


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text[:19] + "." + (text[20:26] if "." in text else "000000"))
