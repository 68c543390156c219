"""Asking a driver that may hang, until a reboot at worst: nobody waits for it but one thread."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

import msgspec

from ...model.resources import Node
from .inventory import DeviceInventory, Driver, Work

T = TypeVar("T")

LATE = 5.0
"""Seconds after which a driver does not answer."""
_MOMENT = 0.5
"""Seconds that a question waits, unless it is the first one: an answer takes milliseconds."""
NO_ANSWER = "The NVIDIA driver does not answer."


class AskedDriver:
    """A driver that a thread of its own opens and asks.

    While it is busy with a question, what it has said before stands; it is marked once the driver
    is late.
    """

    def __init__(self, opening: Callable[[], Driver], late: float = LATE) -> None:
        self._opening = opening
        self._late = late
        self._driver: Driver | None = None
        self._questions: SimpleQueue[tuple[Callable[[Driver], Any], Future[Any]] | None]
        self._questions = SimpleQueue()
        self._pending: Future[Any] | None = None
        self._since = 0.0
        self._last = DeviceInventory(())
        # A thread of a pool would be waited for when the interpreter ends.
        Thread(target=self._answer, name="driver", daemon=True).start()

    def open(self) -> DeviceInventory:
        """Open the driver, and return its devices; none where it is late. Raises what it raises."""
        return self._read(mps=False, seconds=self._late)

    def read(self, *, mps: bool) -> DeviceInventory:
        """Return all devices, as they are now or were read last. Raises what the driver raises."""
        return self._read(mps=mps, seconds=min(_MOMENT, self._late))

    def work(self, uuid: str, since: int) -> Work | None:
        """Return a device's work since a time stamp; None if there is no answer."""
        return self._ask(lambda driver: driver.work(uuid, since), min(_MOMENT, self._late))

    def close(self) -> None:
        """Close the driver, unless it does not answer."""
        if self._driver:
            self._ask(lambda driver: driver.close(), min(_MOMENT, self._late))
        self._questions.put(None)

    @property
    def is_late(self) -> bool:
        """Whether a question has not been answered for too long."""
        pending = self._pending is not None and not self._pending.done()
        return pending and time.monotonic() - self._since >= self._late

    def _read(self, *, mps: bool, seconds: float) -> DeviceInventory:
        found = self._ask(lambda driver: driver.read(mps=mps), seconds)
        if found is not None:
            self._last = found
            return found
        if not self.is_late:
            return self._last
        nodes = self._last.nodes or (Node(name=socket.gethostname()),)
        marked = tuple(msgspec.structs.replace(node, problem=NO_ANSWER) for node in nodes)
        return replace(self._last, nodes=marked, readings={}, memory={}, hidden=True)

    def _ask(self, question: Callable[[Driver], T], seconds: float) -> T | None:
        """Return the answer to a question, None if it does not come within some seconds."""
        if self._pending and not self._pending.done():
            return None
        future: Future[T] = Future()
        self._pending, self._since = future, time.monotonic()
        self._questions.put((question, future))
        try:
            return future.result(seconds)
        except TimeoutError:
            return None

    def _answer(self) -> None:
        while (asked := self._questions.get()) is not None:
            question, future = asked
            try:
                self._driver = self._driver or self._opening()
                future.set_result(question(self._driver))
            except Exception as error:  # noqa: BLE001 (whoever has asked is told)
                future.set_exception(error)
