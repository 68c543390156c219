"""`kernel install`, `list`, `remove`: sessions and templates as kernels of notebooks."""

from __future__ import annotations

from ...client import Client
from ..arguments import offer, session_names
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.texts import TextView


def _fill(parser: Parser) -> None:
    name = parser.add_argument(
        "name", nargs="?", default="", metavar="NAME", help="a session or template (default: all)"
    )
    offer(name, session_names())


def _install(client: Client, args: Args, _console: Console) -> TextView:
    from ...kernels.installed import install  # noqa: PLC0415 (keeps the import light)

    specs = install(client, args.name)
    return _shown({spec.name: spec.title for spec in specs}, "No sessions or templates yet.")


def _list(client: Client, _args: Args, _console: Console) -> TextView:
    from ...kernels.installed import files_of  # noqa: PLC0415 (the same)

    found = files_of(client).installed()
    titles = {name: str(document.get("display_name", "")) for name, document in found.items()}
    return _shown(titles, "No kernels are installed.")


def _remove(client: Client, args: Args, _console: Console) -> TextView:
    from ...kernels.installed import remove  # noqa: PLC0415 (the same)

    names = remove(client, args.name)
    text = f"Removed {', '.join(names)}." if names else "No kernels are installed."
    return TextView(dict.fromkeys(names, "removed"), text)


def _shown(titles: dict[str, str], empty: str) -> TextView:
    width = max(map(len, titles), default=0)
    lines = [f"{name:{width}}  {title}" for name, title in titles.items()]
    return TextView(titles, "\n".join(lines) or empty)


COMMANDS = (
    Command(
        "kernel",
        "use sessions and templates as kernels of notebooks",
        actions=(
            Command(
                "install",
                "offer sessions and templates in kernel pickers",
                _install,
                _fill,
                notes="JupyterLab does so by itself, unless c.GpuQuota.kernelspecs is off.",
                examples=("kernel install", "kernel install exp1"),
            ),
            Command("list", "list installed kernels", _list, examples=("kernel list",)),
            Command(
                "remove",
                "remove installed kernels; sessions stay",
                _remove,
                _fill,
                examples=("kernel remove", "kernel remove exp1"),
            ),
        ),
        default="list",
        notes="A notebook with such a kernel runs in the session; see docs/notebook-kernel.md.",
        examples=("kernel install", "kernel list"),
        section="Sessions",
    ),
)
