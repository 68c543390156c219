"""`simulate`: the scheduler's test bench, which help and completion do not mention."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...client import Client
from ...client.connection.protocol import to_json
from ...client.exit_codes import Failed
from ...errors import FieldError, Internal, InvalidFields, InvalidRequest
from ...model.scenarios import Played
from ...yaml_document import InvalidYaml, YamlDocument
from ..command import Args, Command
from ..console import Console
from ..parser import Parser

_SIZE_LIMIT = 4 << 20
"""The maximum size of a scenario in bytes."""
_LINES = (".jsonl", ".jsonl.gz")
_WHOLE = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class _Source:
    """A scenario as it is written, and where; a file's `document` knows the lines of its parts."""

    path: str
    plain: Any
    document: YamlDocument | None = None

    def at(self, field: str) -> str:
        """Return where a part of it is."""
        return _at(self.path, self.document.line(field)) if self.document else self.path

    def problem(self, error: FieldError) -> str:
        """Return what is wrong with it, and where."""
        parts = (self.at(error.field), error.field, f"{error.message} {error.hint}".strip())
        return ": ".join(filter(None, parts))


def _fill(parser: Parser) -> None:
    text = "a scenario in YAML, a folder of them, or JSON lines (.jsonl, .jsonl.gz)"
    parser.add_argument("paths", metavar="PATH", nargs="+", help=text)


def _simulate(_client: Client, args: Args, console: Console) -> None:
    """Play scenarios. Raises InvalidRequest if one cannot be read, Failed if one ends otherwise."""
    alone = len(args.paths) == 1 and _is_single(args.paths[0])
    count, failed = 0, []
    for source in _sources(args.paths):
        try:
            played = _played(source, console, every_step=args.json and alone)
        except InvalidFields as error:
            raise InvalidRequest("\n".join(map(source.problem, error.fields))) from error
        count += 1
        failed += [] if played.ok else [played]
        if args.json and not alone:
            console.write(f"{to_json(played)}\n")
    if not args.json:
        scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
        console.write(f"{scenarios}: {count - len(failed)} as expected, {len(failed)} not.\n")
    if failed:
        lines = (problem for played in failed for problem in played.problems)
        raise Failed("\n".join([f"{len(failed)} of {count} not as expected.", *lines]))


def _played(source: _Source, console: Console, *, every_step: bool) -> Played:
    """Return how a scenario ends, after writing what stands after every step, if that is wanted."""
    from ...core.simulate import Simulation, read  # noqa: PLC0415 (what no other command needs)

    scenario = read(source.plain)
    world = Simulation(scenario)
    found = world.standing(0)
    problems: list[str] = []
    try:
        for found, differences in world.play():
            if every_step:
                console.write(f"{to_json(found)}\n")
            for field, how in differences:
                where = field.partition(".expect.")[2]
                problems.append(f"{source.at(field)}: step {found.step}: {where}: {how}")
    except Internal as error:
        problems.append(f"{source.path}: {error.message}")
    return Played(
        name=scenario.name or source.path,
        ok=not problems,
        problems=tuple(problems),
        projects=found.projects,
        sessions=found.sessions,
        free=found.free,
        rounds=world.rounds,
    )


def _is_single(path: str) -> bool:
    """Return whether a path is a file with one scenario."""
    return not Path(path).is_dir() and not path.endswith(_LINES)


def _sources(paths: list[str]) -> Iterator[_Source]:
    """Yield the scenarios of files, of folders by name, and of lines.

    Raises InvalidRequest if one cannot be read, or a folder has none.
    """
    for path in paths:
        if Path(path).is_dir():
            inside = sorted(p for p in Path(path).rglob("*") if p.name.endswith(_WHOLE + _LINES))
            if not inside:
                raise InvalidRequest(f"{path}: no scenarios (.yaml, .json, .jsonl) are in it.")
            yield from _sources([*map(str, inside)])
        elif path.endswith(_LINES):
            yield from _of_lines(path)
        else:
            yield _of_file(path)


def _of_file(path: str) -> _Source:
    try:
        with Path(path).open("rb") as file:
            document = YamlDocument(file.read(_SIZE_LIMIT + 1), _SIZE_LIMIT)
    except OSError as error:
        raise InvalidRequest(f"{path}: {error.strerror}.") from error
    except InvalidYaml as error:
        lines = (f"{_at(path, problem.line)}: {problem.message}" for problem in error.problems)
        raise InvalidRequest("\n".join(lines)) from error
    return _Source(path, document.plain, document)


def _of_lines(path: str) -> Iterator[_Source]:
    opened = gzip.open if path.endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    # As in YAML, numbers with a point stay text, so that 0.1 stays exact.
                    yield _Source(f"{path}:{number}", json.loads(line, parse_float=str))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path}: {getattr(error, 'strerror', None) or error}.") from error
    except json.JSONDecodeError as error:
        raise InvalidRequest(f"{path}:{number}: not JSON: {error}.") from error


def _at(path: str, line: int) -> str:
    return f"{path}:{line}" if line else path


COMMANDS = (
    Command(
        "simulate",
        "play scenarios through the scheduler, without a server",
        _simulate,
        _fill,
        notes="Exit code 1: a scenario expects something else; 2: one cannot be read.",
        examples=("simulate scenarios/",),
        shell_only=True,
        hidden=True,
    ),
)
