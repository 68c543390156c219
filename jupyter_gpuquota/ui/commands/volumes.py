"""`volume list`, `show`, `create`, `grow`, `change`, `delete`."""

from __future__ import annotations

from collections.abc import Iterator

from ...client import Client
from ...errors import InvalidRequest
from ..arguments import offer, own_projects
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.texts import TextView
from ..views.volumes import VolumesView, VolumeView


def _fill_list(parser: Parser) -> None:
    _add_project(parser, "only this project")


def _fill_one(parser: Parser) -> None:
    offer(parser.add_argument("name", metavar="NAME", help="NAME, or PROJECT/NAME"), _names)
    _add_project(parser, "the project of the volume")


def _fill_create(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="lower-case letters, digits and hyphens")
    _add_project(parser, "the project that shares it")
    parser.add_argument(
        "--class", dest="storage_class", default="", metavar="C", help="storage class"
    )
    parser.add_argument("--size", default="", metavar="S", help="10Gi; a folder may have no limit")
    parser.add_argument("--mode", default="", help="RWX, RWO, ROX or RWOP; default: RWX")
    parser.add_argument("--folder", default="", help="an existing folder to share instead")
    parser.add_argument("--read-only", action="store_true", help="sessions can only read it")
    parser.add_argument("--level", default="", help="its VolumeAttributesClass")
    parser.add_argument("--from", dest="source", default="", metavar="NAME", help="clone a claim")
    parser.add_argument("--description", default="", metavar="TEXT", help="what it contains")


def _fill_grow(parser: Parser) -> None:
    _fill_one(parser)
    parser.add_argument("size", metavar="SIZE", help="the new size: 20Gi")


def _fill_change(parser: Parser) -> None:
    _fill_one(parser)
    parser.add_argument("--level", help="its VolumeAttributesClass")
    parser.add_argument("--description", metavar="TEXT", help="what it contains")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--read-only", action="store_true", default=None, help="can only be read")
    how.add_argument("--writable", dest="read_only", action="store_false", help="can be written")


def _add_project(parser: Parser, text: str) -> None:
    project = parser.add_argument("-p", "--project", default="", help=text)
    offer(project, own_projects)


def _names(client: Client, _words: object) -> Iterator[str]:
    return (each.name for each in client.volumes.list())


def _list(client: Client, args: Args, _console: Console) -> VolumesView:
    return VolumesView(client.volumes.list(project=args.project).document)


def _show(client: Client, args: Args, _console: Console) -> VolumeView:
    return VolumeView(client.volumes.get(args.name, project=args.project))


def _create(client: Client, args: Args, console: Console) -> VolumeView:
    made = client.volumes.create(
        args.name,
        project=args.project,
        storage_class=args.storage_class,
        size=args.size,
        mode=args.mode,
        folder=args.folder,
        read_only=args.read_only,
        level=args.level,
        source=args.source,
        description=args.description,
    )
    end = ":ro" if made.read_only else ""
    gpu = "jupyter gpu" if console.shell else "%gpu"
    mount = f"{gpu} submit NAME -p {made.project} -v {made.name}:/{made.name}{end}"
    return VolumeView(made, note=f"Created {made.name} in {made.project}. To mount it: {mount}.")


def _grow(client: Client, args: Args, _console: Console) -> VolumeView:
    return VolumeView(client.volumes.grow(args.name, args.size, project=args.project))


def _change(client: Client, args: Args, _console: Console) -> VolumeView:
    given = (args.level, args.description, args.read_only)
    if all(each is None for each in given):
        raise InvalidRequest("Nothing to change.", hint="See `help volume change`.")
    changed = client.volumes.change(
        args.name,
        level=args.level,
        description=args.description,
        read_only=args.read_only,
        project=args.project,
    )
    return VolumeView(changed)


def _delete(client: Client, args: Args, _console: Console) -> TextView:
    volume = client.volumes.get(args.name, project=args.project)
    client.volumes.delete(volume.name, project=volume.project)
    kept = f" The files in {volume.folder} are kept." if volume.registered else ""
    values = {"volume": volume.name, "project": volume.project}
    return TextView(values, f"Deleted {volume.name} of {volume.project}.{kept}")


COMMANDS = (
    Command(
        "volume",
        "share folders and claims between sessions",
        actions=(
            Command("list", "list volumes", _list, _fill_list, examples=("volume list",)),
            Command(
                "show",
                "show a volume and who mounts it",
                _show,
                _fill_one,
                examples=("volume show scans",),
            ),
            Command(
                "create",
                "create a volume, or share an existing folder",
                _create,
                _fill_create,
                examples=(
                    "volume create scratch --size 10Gi",
                    "volume create scans --folder /data/scans --read-only",
                ),
            ),
            Command(
                "grow", "let a volume grow", _grow, _fill_grow, examples=("volume grow scans 20Gi",)
            ),
            Command(
                "change",
                "change a volume's level, description or access",
                _change,
                _fill_change,
                examples=("volume change scans --read-only",),
            ),
            Command(
                "delete",
                "delete a volume with its files",
                _delete,
                _fill_one,
                notes="Refused while a session that has not ended mounts it. The files of a folder "
                "that existed before are kept.",
                examples=("volume delete scratch",),
            ),
        ),
        default="list",
        notes="Sessions mount volumes with `submit exp1 -v NAME:/path[:ro]`, and find them by name "
        "in the folder $GPUQUOTA_VOLUMES.",
        examples=("volume create scratch", "volume show scratch"),
        section="Resources",
    ),
)
