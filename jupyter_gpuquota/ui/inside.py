"""Run programs inside a session."""

from __future__ import annotations

import codecs
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, cast

from ..client import Client, programs
from ..errors import FieldError, NotFound, Unsupported, refused
from ..model.programs import ExecContext, ExecEvent, ExecResult
from .grammar import Args
from .screen import Screen
from .views.texts import ExecView, StreamedView

if TYPE_CHECKING:
    from io import BufferedReader

_PATIENCE = 5.0
_OF_THE_TERMINAL = ("TERM", "COLORTERM", "COLUMNS", "LINES", "DISPLAY", "SSH_AUTH_SOCK", "SSH_TTY")


def execute(client: Client, args: Args, screen: Screen) -> ExecView:
    """Run a program inside a session.

    A terminal becomes the program where sessions run on this machine; else its output is shown
    as it comes.
    """
    command = [*args.words, *args.rest]
    if not command:
        hint = f"Write it after the name: exec {args.name} -- nvidia-smi."
        problem = FieldError("command", "There is nothing to run.", hint)
        raise refused(problem)
    details = {"project": args.project, "timeout": args.timeout}
    if screen.shell and args.json:
        return ExecView(client.sessions.exec(args.name, command, **details))
    context = programs.inside(client.context, args.name, project=args.project)
    try:
        place = client.run(context)
    except Unsupported:
        events = client.sessions.exec_stream(args.name, command, **details)
        return StreamedView(show(events, screen))
    if screen.shell:
        become(command, place)
    return StreamedView(stream(command, place, screen))


def bash(client: Client, args: Args, screen: Screen) -> NoReturn:
    """Become a shell inside a session."""
    context = client.run(programs.inside(client.context, args.name, project=args.project))
    shell = shutil.which("bash", path=context.env.get("PATH")) or "sh"
    share = context.env.get("GPUQUOTA_SHARE", "its share")
    screen.note(f"You are inside {args.name} ({share}). `exit` leads back; the session goes on.")
    become([shell], context)


def become(command: Sequence[str], context: ExecContext) -> NoReturn:
    """Go on as another program inside a session, in this terminal.

    Its exit code is then ours, signals and job control included. Raises NotFound.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.chdir(context.folder)
        os.execvpe(command[0], list(command), environment(context, os.environ))  # noqa: S606 (no shell is wanted)
    except OSError as error:
        raise _unusable(command, context, error) from error


def show(events: Iterator[ExecEvent], screen: Screen) -> ExecResult:
    """Show what a program prints while it runs elsewhere; an interrupt ends it there."""
    shown: list[str] = []
    for event in events:
        if event.output:
            shown.append(event.output)
            screen.write(event.output)
        if event.result:
            end = event.result
    output = "".join(shown)
    return ExecResult(exit_code=end.exit_code, output=output, timed_out=end.timed_out)


def stream(command: Sequence[str], context: ExecContext, screen: Screen) -> ExecResult:
    """Run a program inside a session and show its output as it comes.

    An interrupt reaches the program and all that it has started. Raises NotFound.
    """
    try:
        process = subprocess.Popen(
            command,
            env=environment(context, os.environ),
            cwd=context.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise _unusable(command, context, error) from error
    with process:
        try:
            output = _pass_on(process, screen)
        except BaseException:
            _end(process)
            raise
    return ExecResult(exit_code=process.returncode, output=output)


def _pass_on(process: subprocess.Popen[bytes], screen: Screen) -> str:
    letters = codecs.getincrementaldecoder("utf-8")("replace")
    shown: list[str] = []
    pipe = cast("BufferedReader", process.stdout)
    while piece := pipe.read1():
        shown.append(letters.decode(piece))
        screen.write(shown[-1])
    process.wait()
    return "".join(shown)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a program and what it has started; what does not end by itself is killed."""
    for number, patience in ((signal.SIGINT, _PATIENCE), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return


def _unusable(command: Sequence[str], context: ExecContext, error: OSError) -> NotFound:
    """Name what the user typed: the system names the last place where it has looked."""
    if error.filename == context.folder:
        return NotFound(
            f"The session's folder {context.folder!r} cannot be used: {error.strerror}.",
            hint="It was there when the session began; make it again, or start another session.",
        )
    return NotFound(
        f"{command[0]!r} cannot be used inside the session: {error.strerror}.",
        hint="Programs are looked up on the session's PATH.",
    )


def environment(context: ExecContext, found: Mapping[str, str]) -> dict[str, str]:
    """Return the session's environment with this terminal's own traits."""
    terminal = {name: found[name] for name in _OF_THE_TERMINAL if name in found}
    return {**context.env, **terminal}
