"""Signals of real sessions: work is detected, and what only looks like work is not."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from jupyter_client import AsyncKernelClient

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.signals.presence import Presence
from jupyter_gpuquota.core.idle.decide import Reading
from jupyter_gpuquota.local.signals.signals import Signals
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ui.commands.sessions.exec import become
from tests.contract.backend_contract import launch, until
from tests.lean import served
from tests.local.atwork import TERMINALS, THREADS, Lab, Tab, open_tab, start_kernel
from tests.local.builders import LIMITS
from tests.local.conftest import folder_of, home_of, wait_for
from tests.local.test_jupyter import ask
from tests.session_client import fetch
from tests.waiting import patience

pytestmark = pytest.mark.asyncio

ROUNDED = timedelta(seconds=8)
"""The precision of the kernel's terminal times."""
REDRAWS = (
    "import os, sys, tty; tty.setcbreak(0); os.utime(os.ttyname(0), (1000, 1000));"
    "print(2 * '*', flush=True); sys.stdin.read(1); print(2 * '+', flush=True); sys.stdin.read()"
)
"""Prints by itself, and reads a key."""


async def nothing_saved(session: Session, path: str) -> str:
    raise AssertionError(path)


class Looks(Lab):
    """Reads the signals of one session of a backend."""

    def __init__(self, backend: Backend, session: str) -> None:
        super().__init__(backend, session)
        worker = backend.resident.worker
        folder, devices = worker._store.folder, worker._runner._devices
        self.signals = Signals(folder, devices, Clock(), Presence(Clock(), nothing_saved))
        self.limits = LIMITS

    async def look(self) -> dict[str, Reading]:
        session = self.backend.resident.board.find(self.session)
        found = await self.signals.read([session], {self.session: self.limits})
        names = [reading.name for reading in found[self.session]]
        assert len(names) == len(set(names))
        return {reading.name: reading for reading in found[self.session]}

    async def until(self, name: str, wanted: Callable[[Reading], bool]) -> Reading:
        """Read until a signal has the expected value."""

        async def read() -> Reading | None:
            found = (await self.look()).get(name)
            return found if found and wanted(found) else None

        return await wait_for(read)


@pytest_asyncio.fixture
async def looks(backend: Backend) -> AsyncIterator[Callable[..., Any]]:
    """Launch sessions and read their signals."""
    made: list[Looks] = []

    async def start(**fields: Any) -> Looks:
        fields = fields if "command" in fields else {**served(), "args": TERMINALS, **fields}
        session = await launch(backend, f"s{len(made)}", **fields)
        await until(backend, session.id, "running")
        made.append(Looks(backend, session.id))
        return made[-1]

    yield start
    for one in made:
        await one.signals.close()


@pytest_asyncio.fixture
async def kernel(looks: Any) -> AsyncIterator[tuple[Looks, str, AsyncKernelClient]]:
    """Run a kernel in a session, and connect to it without its Jupyter Server."""
    one = await looks()
    name, client = await start_kernel(one.backend, one.session)
    yield one, name, client
    client.stop_channels()


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers of sessions read their configuration, as they do outside of tests."""
    monkeypatch.delenv("JUPYTER_NO_CONFIG")


async def run(client: AsyncKernelClient, code: str) -> None:
    """Run a cell to its end."""
    await client.execute_interactive(code, timeout=patience(), output_hook=lambda _: None)


async def activity(one: Looks, kernel: str) -> tuple[str, str, int]:
    found = await one.ask(f"api/kernels/{kernel}")
    return found["last_activity"], found["execution_state"], found["connections"]


async def settled(one: Looks, kernel: str) -> tuple[str, str, int]:
    """Wait until a server has received all messages of its kernel."""

    async def unchanged() -> tuple[str, str, int] | None:
        before = await activity(one, kernel)
        await asyncio.sleep(0.5)
        same = await activity(one, kernel) == before and before[1] == "idle"
        return before if same else None

    return await wait_for(unchanged)


async def wait_until_listened(one: Looks, kernel: str) -> None:
    """Read until the cause of changes of a kernel's last activity is known."""

    async def listened() -> bool:
        await one.look()
        listener = one.signals._listeners.get((one.session, kernel))
        return bool(listener and listener.poll()[0])

    await wait_for(listened)


async def test_looking_moves_nothing_and_holds_no_connection(kernel: Any) -> None:
    one, name, client = kernel
    await run(client, "1")
    before = await settled(one, name)
    status = await one.ask("api/status")
    for _ in range(5):
        found = await one.look()
        assert found["kernels"].state == "idle"
    assert await activity(one, name) == before
    assert before[2] == 0
    assert (await one.ask("api/status"))["last_activity"] == status["last_activity"]
    assert one.signals._listeners.get((one.session, name)) is None


async def test_widgets_and_prints_are_no_work_but_a_short_cell_is(kernel: Any) -> None:
    one, name, client = kernel
    await one.look()
    await run(client, THREADS)
    await wait_until_listened(one, name)
    first = (await one.look())["kernels"]
    claimed = first.claimed
    later = await one.until("kernels", lambda found: found.claimed > claimed)
    assert (later.state, later.last) == ("idle", first.last)
    assert (await activity(one, name))[2] == 0
    begin = datetime.now(UTC)
    await run(client, "time.sleep(0.1)")
    end = datetime.now(UTC)
    used = await one.until("kernels", lambda found: found.state == "idle")
    assert begin <= used.last <= end
    again = await one.until("kernels", lambda found: found.claimed > used.claimed)
    assert again.last == used.last


async def test_an_open_page_that_polls_and_connects_again_is_no_work(kernel: Any) -> None:
    one, name, client = kernel
    await run(client, "1")
    await settled(one, name)
    before = (await one.until("kernels", lambda found: found.state == "idle")).last
    endpoint = await one.backend.ingress.endpoint(one.session, 0)
    for _ in range(2):
        paths = (f"api/kernels/{name}/channels", "api/events/subscribe")
        sockets = [await one.connect(path) for path in paths]
        message = client.session.msg("kernel_info_request") | {"channel": "shell"}
        await sockets[0].write_message(json.dumps(message, default=str))
        while "kernel_info_reply" not in str(await sockets[0].read_message()):
            pass
        for path in ("api/kernels", "api/sessions", "api/terminals", "api/contents"):
            await ask(endpoint, path)
        await fetch(endpoint, "metrics", headers=endpoint.headers)
        for socket in sockets:
            socket.ping(b"still there?")
        found = await one.look()
        assert (found["kernels"].state, found["kernels"].last) == ("idle", before)
        assert {found[name].state for name in ("terminals", "presence")} == {"idle"}
        assert found["presence"].last is None
        for socket in sockets:
            socket.close()


async def test_a_long_silent_cell_is_work(kernel: Any) -> None:
    one, _, client = kernel
    await run(client, "1")
    await one.until("kernels", lambda found: found.state == "idle")
    client.execute("import time; time.sleep(600)")
    found = await one.until("kernels", lambda found: found.state == "busy")
    assert found.detail == "One kernel is busy."


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("ask", ["input()", "__import__('getpass').getpass()", "breakpoint()"])
async def test_a_cell_that_asks_for_input_is_idle_until_it_is_answered(
    looks: Any, ask: str
) -> None:
    one = await looks()
    tab = await open_tab(one)
    await tab.run(f"{ask}; import time; time.sleep(600)", until="input_request")
    asks = await one.until("kernels", lambda found: found.detail == "A cell waits for input.")
    assert asks.state == "idle"
    await tab.answer("continue")
    await one.until("kernels", lambda found: found.state == "busy")
    tab.close()


@pytest.mark.usefixtures("configured")
async def test_a_cell_that_asks_a_page_that_is_gone_is_idle_until_it_ends(looks: Any) -> None:
    one = await looks()
    tab = await open_tab(one)
    await tab.run("import time; time.sleep(2); input()", until="execute_input")
    tab.close()
    await one.until("kernels", lambda found: found.detail == "A cell waits for input.")
    await one.ask(f"api/kernels/{tab.kernel}/interrupt", method="POST", body="")
    await one.until("kernels", lambda found: found.detail == "One kernel is idle.")
    again = Tab(tab.kernel, await one.connect(f"api/kernels/{tab.kernel}/channels"))
    await again.run("time.sleep(600)", until="execute_input")
    await one.until("kernels", lambda found: found.state == "busy")
    again.close()


@pytest.mark.usefixtures("configured")
async def test_a_server_tells_when_its_terminals_were_really_used(looks: Any) -> None:
    one = await looks()
    name = (await one.make("terminals"))["name"]
    socket = await one.connect(f"terminals/websocket/{name}")
    await socket.write_message(json.dumps(["stdin", f'exec {sys.executable} -c "{REDRAWS}"\r']))

    async def found(printed: str) -> dict[str, Any]:
        while printed not in str(await socket.read_message()):
            pass
        (terminal,) = await one.ask("api/terminals")
        assert terminal["takes_keys"]
        return terminal

    redrawn = await found("**")
    assert redrawn["last_typed"].startswith("1970")
    assert redrawn["last_printed"] > redrawn["last_typed"]
    await socket.write_message(json.dumps(["stdin", "q"]))
    assert (await found("++"))["last_typed"] > "1970-02"
    socket.close()


async def test_a_session_without_a_kernel_is_idle_and_its_cpu_is_compared(looks: Any) -> None:
    one = await looks()
    first = await one.look()
    assert set(first) == {"presence", "kernels", "terminals", "cpu", "io"}
    assert first["kernels"] == Reading("kernels", "idle", detail="No running kernels.")
    assert first["terminals"].state == "idle"
    assert first["presence"] == Reading(
        "presence", "idle", detail="No use by a person observed yet."
    )
    assert first["cpu"].state == first["io"].state == "unknown"
    one.limits = replace(LIMITS, cpu_busy=10_000)
    assert (await one.look())["cpu"].state == "idle"


async def test_a_terminal_is_used_by_typing_printing_and_programs_at_work(looks: Any) -> None:
    one = await looks()
    await one.look()
    name = (await one.make("terminals"))["name"]
    socket = await one.connect(f"terminals/websocket/{name}")

    async def enter(text: str) -> datetime:
        await socket.write_message(json.dumps(["stdin", text]))
        return datetime.now(UTC)

    begin = datetime.now(UTC)
    await enter("exec sh\r")
    await enter("sleep 600\r")
    settled = timedelta(seconds=5)  # the shell's prompts may come late on a busy machine
    quiet = await one.until(
        "terminals",
        lambda found: found.state == "idle" and found.last < datetime.now(UTC) - settled,
    )
    assert quiet.last >= begin - ROUNDED
    await asyncio.sleep(ROUNDED.total_seconds())
    again = await one.connect(f"terminals/websocket/{name}")
    for _ in range(2):
        await again.write_message(json.dumps(["set_size", 24, 80, 100, 100]))
        await asyncio.sleep(0.5)
    assert (await one.ask("api/terminals"))[0]["last_activity"] > quiet.last.isoformat()
    assert (await one.look())["terminals"] == quiet  # neither we nor pages that open move it
    again.close()
    await enter("\x03")
    await enter(f"{sys.executable} -c 'while True: pass'\r")
    await one.until("terminals", lambda found: found.state == "busy")
    await enter("\x03")
    idle = await one.until("terminals", lambda found: found.state == "idle")
    assert idle.last > quiet.last
    socket.close()


async def test_what_is_printed_while_no_page_shows_the_terminal_counts(looks: Any) -> None:
    one = await looks()
    await one.look()
    name = (await one.make("terminals"))["name"]
    socket = await one.connect(f"terminals/websocket/{name}")
    await socket.write_message(json.dumps(["stdin", "sleep 12; echo done; sleep 600\r"]))
    await asyncio.sleep(1)
    socket.close()
    quiet = await one.until("terminals", lambda found: found.state == "idle")
    await one.until("terminals", lambda found: found.last > quiet.last)


@asynccontextmanager
async def inside(one: Looks, *command: str) -> AsyncIterator[int]:
    """Become a program inside a session, in a terminal of our own; yield its other end.

    It has prompted by then: on a busy machine that takes a while, and counts as use.
    """
    context = await one.backend.exec.context(one.session)
    pid, terminal = pty.fork()
    if pid == 0:
        become(command, context)
    loop, prompted = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(terminal, partial(_take, terminal, prompted))
    try:
        await asyncio.wait_for(prompted.wait(), patience())
        yield terminal
    finally:
        loop.remove_reader(terminal)
        os.close(terminal)
        await asyncio.to_thread(os.waitpid, pid, 0)


def _take(terminal: int, seen: asyncio.Event) -> None:
    with suppress(OSError):  # the program has ended
        os.read(terminal, 65_536)
    seen.set()


async def test_who_works_in_a_shell_inside_a_session_uses_it(looks: Any) -> None:
    one = await looks(command=("sleep", "600"))
    assert "terminals" not in await one.look()
    begin = datetime.now(UTC)
    async with inside(one, "sh", "-i") as terminal:
        quiet = await one.until("terminals", lambda found: found.state == "idle")
        assert quiet.last > begin - ROUNDED
        await asyncio.sleep(ROUNDED.total_seconds())
        assert (await one.look())["terminals"] == quiet  # looking does not move it
        begin = datetime.now(UTC)
        os.write(terminal, b":\r")
        typed = await one.until("terminals", lambda found: found.last != quiet.last)
        assert typed.last > begin - ROUNDED
        os.write(terminal, b"while :; do :; done\r")
        await one.until("terminals", lambda found: found.state == "busy")
        os.write(terminal, b"\x03exit\r")
        left = await one.until("terminals", lambda found: "No terminal" in found.detail)
        assert left.state == "idle"


async def test_a_program_that_somebody_waits_for_is_work_until_it_ends(looks: Any) -> None:
    one = await looks(command=("sleep", "600"))
    await one.look()
    request = ExecRequest(command=("sh", "-c", "sleep 600 & sleep 3"), timeout=60)
    asked = asyncio.create_task(one.backend.exec.execute(one.session, request))
    await one.until("terminals", lambda found: found.state == "busy")
    await asked
    found = await one.look()
    assert found["terminals"].state == "idle"  # what it has left behind counts by its CPU


async def test_a_server_without_terminals_is_not_asked_for_them_again(looks: Any) -> None:
    one = await looks(args=())
    for _ in range(2):
        assert "terminals" not in await one.look()
    log = folder_of(home_of(one.backend), one.session).path / "log"
    assert log.read_text().count("GET") <= 1


async def test_a_server_that_does_not_answer_is_unknown_and_found_again(looks: Any) -> None:
    one, other = await looks(), await looks()
    await one.look()
    one.signal(signal.SIGSTOP)
    both = [one.backend.resident.board.find(each.session) for each in (one, other)]
    found = await one.signals.read(both, dict.fromkeys((one.session, other.session), LIMITS))
    states = [{r.name: r.state for r in found[s]} for s in (one.session, other.session)]
    assert (states[0]["kernels"], states[0]["terminals"]) == ("unknown", "unknown")
    assert (states[1]["kernels"], states[1]["terminals"]) == ("idle", "idle")
    assert "Its Jupyter Server does not respond." in {r.detail for r in found[one.session]}
    one.signal(signal.SIGCONT)
    await one.until("kernels", lambda found: found.state == "idle")


async def test_a_training_is_busy_while_its_command_lives_and_spends_what_its_children_do(
    looks: Any,
) -> None:
    code = "import subprocess, sys\nwhile True: subprocess.run([sys.executable, '-c', 'pass'])"
    one = await looks(kind="train", command=(sys.executable, "-c", code))
    assert set(await one.look()) == {"presence", "process", "cpu", "io"}
    await asyncio.sleep(1)
    found = await one.look()
    assert (found["process"].state, found["process"].detail) == ("busy", "Its command is running.")
    assert found["cpu"].state == "busy"  # though each of its children lives for a moment only


async def test_a_command_that_sleeps_shows_no_more_than_its_cpu(looks: Any) -> None:
    one = await looks(command=("sleep", "600"))
    await one.look()
    found = await one.look()
    assert {name: reading.state for name, reading in found.items()} == {
        "presence": "idle",
        "cpu": "idle",
        "io": "idle",
    }
