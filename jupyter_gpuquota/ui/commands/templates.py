"""`template list`, `show`, `save`, `delete`."""

from __future__ import annotations

from ...client import Client
from ...errors import refused
from ..arguments import offer, session_names, template_names
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.templates import TemplatesView, TemplateView
from ..views.texts import TextView
from .sessions import request


def _fill_one(parser: Parser) -> None:
    offer(parser.add_argument("name", metavar="NAME", help="its name"), template_names)


def _fill_save(parser: Parser) -> None:
    request.fill(parser)
    group = parser.add_argument_group("template")
    session = group.add_argument(
        "--from", dest="session", default="", metavar="SESSION", help="copy this session's request"
    )
    offer(session, session_names())
    group.add_argument("--title", default="", metavar="TEXT", help="what pages call it")
    group.add_argument("--description", default="", metavar="TEXT", help="what it is for")
    group.add_argument(
        "--on-shutdown",
        choices=("stop", "suspend"),
        default="stop",
        help="what happens to its session when its kernel is shut down (default: stop)",
    )
    _add_shared(parser)


def _fill_delete(parser: Parser) -> None:
    _fill_one(parser)
    _add_shared(parser)


def _add_shared(parser: Parser) -> None:
    parser.add_argument("--shared", action="store_true", help="one of admins, for everybody")


def _list(client: Client, _args: Args, _console: Console) -> TemplatesView:
    return TemplatesView(client.templates.list().document)


def _show(client: Client, args: Args, _console: Console) -> TemplateView:
    return TemplateView(client.templates.get(args.name))


def _save(client: Client, args: Args, console: Console) -> TemplateView:
    name, wishes, problems = request.read(args)
    if problems and not args.session:
        raise refused(*problems)
    saved = client.templates.save(
        name,
        session=args.session,
        title=args.title,
        description=args.description,
        on_shutdown=args.on_shutdown,
        shared=args.shared,
        **wishes,
    )
    gpu = "jupyter gpu" if console.shell else "%gpu"
    return TemplateView(
        saved, note=f"Saved {saved.name}. To launch it: {gpu} submit NAME --template {saved.name}."
    )


def _delete(client: Client, args: Args, _console: Console) -> TextView:
    client.templates.delete(args.name, shared=args.shared)
    return TextView({"template": args.name}, f"Deleted {args.name}.")


COMMANDS = (
    Command(
        "template",
        "keep requests of sessions under a name",
        actions=(
            Command("list", "list templates", _list, examples=("template list",)),
            Command("show", "show a template", _show, _fill_one, examples=("template show small",)),
            Command(
                "save",
                "save a template, or replace it",
                _save,
                _fill_save,
                notes="Takes the options of `submit`, and is checked like a launch.",
                examples=(
                    "template save small --from exp1",
                    "template save small -g 0.25 --interactive --on-shutdown suspend",
                    'template save team -g 0.5 --interactive --shared --title "Half a GPU"',
                ),
                takes_rest=True,
            ),
            Command(
                "delete",
                "delete a template",
                _delete,
                _fill_delete,
                notes="Sessions that were launched from it stay.",
                examples=("template delete small",),
            ),
        ),
        default="list",
        notes="`submit NAME --template small` launches it; JupyterLab shows templates in its "
        "Launcher and as kernels.",
        examples=("template save small --from exp1", "template delete small"),
        section="Sessions",
    ),
)
