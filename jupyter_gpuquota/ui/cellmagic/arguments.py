"""The line of `%%gpu`."""

from __future__ import annotations

import argparse
import keyword
from dataclasses import dataclass
from typing import cast

from ...client.sessions import Wishes
from ...errors import FieldError, refuse
from ..arguments import add_share, offer, own_projects, session_names, template_names
from ..commands.sessions import places
from ..grammar import split_line
from ..parser import Parser

_LAUNCHES = ("gpu", "gpu_memory", "gpu_compute", "mig_profile", "template", "on")
_EPILOG = """The kernel there is the same for all cells of a notebook, so that variables stay.
With a share or a template the cell runs in a scratch session, which stops when it was idle for 15
minutes. With neither it runs where the last such cell of this notebook ran.

examples:
  %%gpu exp1
  %%gpu exp1 --in data,labels --out model
  %%gpu -g 0.25
  %%gpu --template small -v notes:/work/notes
  %%gpu -g 1 --on lab,cloud --on-wait 2m
  %%gpu
  %%gpu exp2 -g 0.5 --keep"""


@dataclass(frozen=True, slots=True)
class CellLine:
    """What a line of `%%gpu` asks for.

    `name` is that of a session, empty for a scratch session; `request` has what a session is
    launched with. `takes` are variables to set there before, `gives` those to fetch afterwards.
    """

    name: str
    project: str
    request: Wishes
    takes: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    keep: bool = False

    @property
    def launches(self) -> bool:
        """Whether a session is launched if there is none."""
        fields = _LAUNCHES if self.name else (*_LAUNCHES, "environment", "data", "volumes")
        return any(self.request.get(field) for field in fields)

    @property
    def continues(self) -> bool:
        """Whether it means the session of the notebook's last such cell."""
        return not (self.name or self.launches)


def make_parser() -> Parser:
    """Return the parser of the line."""
    parser = Parser(
        prog="%%gpu",
        description="Run this cell in a session, and show its outputs here.",
        epilog=_EPILOG,
    )
    name = parser.add_argument("name", nargs="?", default="", metavar="NAME", help="a session")
    offer(name, session_names("open"))
    add_share(parser.add_argument_group("share of a session that is launched"))
    option = parser.add_argument(
        "--template", default="", metavar="NAME", help="take everything else from this template"
    )
    offer(option, template_names)
    option = parser.add_argument("-p", "--project", default="", help="its project")
    offer(option, own_projects)
    parser.add_argument(
        "-i", "--environment", default="", metavar="ENVIRONMENT", help="its environment or image"
    )
    parser.add_argument(
        "--data", action="append", default=[], metavar="NAME@REF", help="a dataset that it uses"
    )
    parser.add_argument(
        "-v",
        "--volume",
        action="append",
        default=[],
        dest="volumes",
        metavar="NAME:/PATH[:ro]",
        help="a volume that it mounts",
    )
    places.fill(parser)
    _add_variables(parser)
    parser.add_argument(
        "--keep", action="store_true", help="do not stop a scratch session when it is idle"
    )
    return parser


def _add_variables(parser: Parser) -> None:
    group = parser.add_argument_group("variables (pickled; at most 1 GiB in each direction)")
    group.add_argument("--in", dest="takes", default="", metavar="X,Y", help="set these there")
    group.add_argument("--out", dest="gives", default="", metavar="X,Y", help="fetch these")


def read_line(line: str) -> CellLine:
    """Return what a line asks for. Raises InvalidRequest, HelpRequested."""
    args = make_parser().parse_args(split_line(line))
    takes, gives = _names(args.takes), _names(args.gives)
    refuse(
        FieldError(field, f"{name!r} is not the name of a variable.", "Write x,y.")
        for field, names in (("in", takes), ("out", gives))
        for name in names
        if not name.isidentifier() or keyword.iskeyword(name)
    )
    return CellLine(args.name, args.project, _request(args), takes, gives, args.keep)


def _request(args: argparse.Namespace) -> Wishes:
    request: Wishes = {
        "gpu": args.gpu,
        "gpu_memory": args.gpu_memory,
        "gpu_compute": args.gpu_compute,
        "mig_profile": args.mig_profile,
        "environment": args.environment,
        "data": args.data,
        "volumes": args.volumes,
        "template": args.template,
        **places.read(args),
    }
    given = {field: value for field, value in request.items() if value}
    return cast("Wishes", {**given, "kind": "interactive"})


def _names(text: str) -> tuple[str, ...]:
    words = (word.strip() for word in text.split(","))
    return tuple(dict.fromkeys(word for word in words if word))
