"""`submit`: launch a session."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from ....client import Client, preferences
from ....client.sessions import Wishes
from ....errors import FieldError, InvalidFields, Unavailable, refused
from ....model.sessions import ENDED, Session
from ...arguments import add_dry_run, add_wait
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.details import SubmittedView
from ...views.previews import PreviewView
from ...views.view import View
from ...waiting import wait
from . import places
from . import request as words


def _fill(parser: Parser) -> None:
    words.fill(parser)
    places.fill(parser)
    add_dry_run(parser)
    add_wait(parser, default=False)


def _submit(client: Client, args: Args, console: Console) -> View[Any]:
    name, request, problems = words.read(args)
    request = {**request, **places.read(args)}
    try:
        if problems:
            raise _refusal(client, name, request, problems)
        if args.dry_run:
            return PreviewView(client.sessions.preview(name, **request))
        session: Session = client.sessions.submit(name, **request)
    except InvalidFields as error:
        raise _explain_project(_in_words(error), args) from error
    if args.wait:
        session = wait(client, session, console)
    return SubmittedView(session, _next(session, console), exit_code=int(session.state == "failed"))


def _next(session: Session, console: Console) -> str:
    """Return in which folder a session works, and what the user can do next."""
    gpu, spec = "jupyter gpu" if console.shell else "%gpu", session.spec
    step = f"Follow with `{gpu} describe {spec.name}`."
    if session.state == "running" and spec.serves_jupyter:
        step = f"Open it with `{gpu} open {spec.name}`."
    elif session.state in ENDED:
        step = f"See its log with `{gpu} logs {spec.name}`."
    return f"Its folder is {spec.folder}. {step}" if spec.folder else step


def _refusal(
    client: Client, name: str, request: Wishes, problems: tuple[FieldError, ...]
) -> InvalidFields:
    """Return the problems found here, and those of the server if it answers."""
    by_field = {problem.field: problem for problem in problems}
    with suppress(Unavailable):  # problems found here hold without a server
        for theirs in client.sessions.preview(name, **request).problems:
            problem = FieldError(theirs.field, theirs.message, theirs.hint)
            by_field.setdefault(theirs.field, problem)
    return refused(*by_field.values())


def _in_words(error: InvalidFields) -> InvalidFields:
    """Return the same problems with hints that name options."""
    fields = (replace(each, hint=words.HINTS.get(each.key, each.hint)) for each in error.fields)
    return InvalidFields(error.message, hint=error.hint, fields=tuple(fields))


def _explain_project(error: InvalidFields, args: Args) -> InvalidFields:
    """Name the default project as the origin of an unknown project that the user has not typed."""
    preferred = preferences.project()
    if args.project or not preferred or all(f.field != "project" for f in error.fields):
        return error
    hint = f"{preferred} is your default project. Change it with `project default NAME`."
    return InvalidFields(error.message, hint=hint, fields=error.fields)


COMMANDS = (
    Command(
        "submit",
        "launch a session",
        _submit,
        _fill,
        notes="A training needs a command after `--`. With --interactive and no command the "
        "session is a Jupyter server, and words after `--` are its arguments. It starts in the "
        "current folder. Datasets are found by name in the folder $GPUQUOTA_DATASETS; a session "
        "starts once they are cached. With --processes, each process runs the command with the "
        "whole share; they find each other as torch.distributed expects, so torchrun needs no "
        "options. With --framework mpi, mpirun starts them where the cluster has MPIJobs.",
        examples=(
            "submit exp1 -g 0.5 -p team-a --interactive",
            "submit exp4 --template small -g 1",
            "submit exp5 --like exp1 -g 1",
            "submit exp2 --gpu-memory 8Gi --gpu-compute 30 --interactive --wait",
            "submit train1 -g 1 -e EPOCHS=10 -- python train.py --lr 0.1",
            "submit train2 -g 1 --data faces@v1 -- python train.py",
            "submit exp3 -g 1 --interactive --memory 32Gi -v data:/data:ro --large-shm",
            "submit exp6 -g 1 --interactive --on lab,cloud --on-wait 10m",
            "submit train3 -g 1 --processes 4 -- torchrun train.py",
            "submit train4 -g 1 --processes 4 --framework mpi -- mpirun python train.py",
            'submit board --interactive --port 6006 --command "tensorboard --logdir runs"',
        ),
        section="Sessions",
        takes_rest=True,
    ),
)
