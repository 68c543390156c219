"""`exec` and `bash`: programs inside a session."""

from __future__ import annotations

import codecs
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NoReturn, cast

from ....client import Client
from ....errors import FieldError, NotFound, Unsupported, refused
from ....model.programs import ExecContext, ExecEvent, ExecResult
from ...arguments import add_session, whole_number
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.texts import ExecView, StreamedView
from . import terminal

if TYPE_CHECKING:
    from io import BufferedReader

_INTERRUPT_SECONDS = 5.0
_TERMINAL_VARIABLES = (
    "TERM",
    "COLORTERM",
    "COLUMNS",
    "LINES",
    "DISPLAY",
    "SSH_AUTH_SOCK",
    "SSH_TTY",
)


def _fill(parser: Parser) -> None:
    add_session(parser)
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="program and arguments")
    parser.add_argument(
        "--timeout",
        type=whole_number,
        default=60,
        metavar="S",
        help="time limit in seconds where sessions run on another machine (default: 60)",
    )
    parser.option_hint = "Write options of the program after `--`: exec NAME -- ls -l."


def _exec(client: Client, args: Args, console: Console) -> ExecView:
    """Run a program inside a session.

    A terminal becomes the program where sessions run on this machine; elsewhere its output is
    streamed.
    """
    command = [*args.words, *args.rest]
    if not command:
        hint = f"Write it after the name: exec {args.name} -- nvidia-smi."
        problem = FieldError("command", "The command is missing.", hint)
        raise refused(problem)
    details = {"project": args.project, "timeout": args.timeout}
    if console.shell and args.json:
        return ExecView(client.sessions.exec(args.name, command, **details))
    try:
        place = client.sessions.inside(args.name, project=args.project)
    except Unsupported:
        events = client.sessions.exec_stream(args.name, command, **details)
        return StreamedView(show(events, console))
    if console.shell:
        become(command, place)
    return StreamedView(stream(command, place, console))


def _bash(client: Client, args: Args, console: Console) -> NoReturn:
    """Become a shell inside a session."""
    try:
        context = client.sessions.inside(args.name, project=args.project)
    except Unsupported as elsewhere:
        _bash_elsewhere(client, args, console, elsewhere)
    shell = shutil.which("bash", path=context.env.get("PATH")) or "sh"
    share = context.env.get("GPUQUOTA_SHARE", "its share")
    console.note(f"You are inside {args.name} ({share}). `exit` leaves; the session keeps running.")
    become([shell], context)


def _bash_elsewhere(
    client: Client, args: Args, console: Console, elsewhere: Unsupported
) -> NoReturn:
    """Show a shell of a session that no process of this machine can enter."""
    columns, rows = terminal.size()
    try:
        remote = client.sessions.terminal(
            args.name, project=args.project, columns=columns, rows=rows
        )
    except Unsupported:
        raise elsewhere from None  # its hint fits better
    console.note(f"You are inside {args.name}. `exit` leaves; the session keeps running.")
    with closing(remote):
        sys.exit(terminal.attach(remote))


def become(command: Sequence[str], context: ExecContext) -> NoReturn:
    """Replace this process with a program inside a session.

    Its exit code, signals and job control are then the terminal's. Raises NotFound.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.chdir(context.folder)
        words = [*context.prefix, *command]
        os.execvpe(words[0], words, environment(context, os.environ))  # noqa: S606 (no shell is wanted)
    except OSError as error:
        raise _unusable(command, context, error) from error


def show(events: Iterator[ExecEvent], console: Console) -> ExecResult:
    """Show the output of a program that runs elsewhere; an interrupt ends it there."""
    shown: list[str] = []
    for event in events:
        if event.output:
            shown.append(event.output)
            console.write(event.output)
        if event.result:
            end = event.result
    output = "".join(shown)
    return ExecResult(exit_code=end.exit_code, output=output, timed_out=end.timed_out)


def stream(command: Sequence[str], context: ExecContext, console: Console) -> ExecResult:
    """Run a program inside a session and stream its output.

    An interrupt reaches the program and its children. Raises NotFound.
    """
    try:
        process = subprocess.Popen(
            [*context.prefix, *command],
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
            output = _pass_on(process, console)
        except BaseException:
            _end(process)
            raise
    return ExecResult(exit_code=process.returncode, output=output)


def _pass_on(process: subprocess.Popen[bytes], console: Console) -> str:
    letters = codecs.getincrementaldecoder("utf-8")("replace")
    shown: list[str] = []
    pipe = cast("BufferedReader", process.stdout)
    while piece := pipe.read1():
        shown.append(letters.decode(piece))
        console.write(shown[-1])
    process.wait()
    return "".join(shown)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a program and its children; kill those that do not end in time."""
    for number, patience in ((signal.SIGINT, _INTERRUPT_SECONDS), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return


def _unusable(command: Sequence[str], context: ExecContext, error: OSError) -> NotFound:
    """Return an error that names the user's words; the system names the last path it tried."""
    if error.filename == context.folder:
        return NotFound(
            f"Cannot use the session's folder {context.folder!r}: {error.strerror}.",
            hint="Create it again, or start another session.",
        )
    return NotFound(
        f"Cannot run {command[0]!r} inside the session: {error.strerror}.",
        hint="Programs are looked up on the session's PATH.",
    )


def environment(context: ExecContext, own: Mapping[str, str]) -> dict[str, str]:
    """Return the session's environment with the terminal variables of this one."""
    terminal = {name: own[name] for name in _TERMINAL_VARIABLES if name in own}
    return {**context.env, **terminal}


COMMANDS = (
    Command(
        "exec",
        "run a program inside a session",
        _exec,
        _fill,
        notes="The program runs with the session's share, environment and folder, without a shell. "
        "Write options of the program after `--`.",
        examples=(
            "exec exp1 nvidia-smi",
            'exec exp1 -- python -c "import torch; print(torch.cuda.device_count())"',
        ),
        section="Sessions",
        takes_rest=True,
    ),
    Command(
        "bash",
        "open a shell inside a session",
        _bash,
        add_session,
        examples=("bash exp1",),
        section="Sessions",
        shell_only=True,
        prints_json=False,
    ),
)
