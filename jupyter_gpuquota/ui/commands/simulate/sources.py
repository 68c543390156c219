"""Where scenarios come from: files, folders, and files with one scenario a line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....core.simulate import scenarios
from ....errors import FieldError, InvalidFields, InvalidRequest
from ....model.scenarios import Scenario
from ....yaml_document import InvalidYaml, YamlDocument

_SIZE_LIMIT = 4 << 20
"""The maximum size of a scenario in bytes."""
_LINES = (".jsonl", ".jsonl.gz")
_WHOLE = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario and where it is; `document` knows the lines of its parts, if it is a file."""

    path: str
    scenario: Scenario
    document: YamlDocument | None = None

    @property
    def name(self) -> str:
        """Return its own name, else where it is."""
        return self.scenario.name or self.path

    def at(self, field: str) -> str:
        """Return where a part of it is."""
        return _at(self.path, self.document.line(field)) if self.document else self.path


def is_single(path: str) -> bool:
    """Return whether a path is a file with one scenario."""
    return not Path(path).is_dir() and not path.endswith(_LINES)


def read(paths: tuple[str, ...]) -> Iterator[Source]:
    """Yield the scenarios of files, of folders by name, and of lines.

    Raises InvalidRequest if one cannot be read, or a folder has none.
    """
    for path in paths:
        if Path(path).is_dir():
            inside = sorted(p for p in Path(path).rglob("*") if p.name.endswith(_WHOLE + _LINES))
            if not inside:
                raise InvalidRequest(f"{path}: no scenarios (.yaml, .json, .jsonl) are in it.")
            yield from read(tuple(map(str, inside)))
        elif path.endswith(_LINES):
            yield from _of_lines(path)
        else:
            yield of_file(path)


def of_file(path: str) -> Source:
    """Return the scenario of a file. Raises InvalidRequest."""
    try:
        with Path(path).open("rb") as file:
            document = YamlDocument(file.read(_SIZE_LIMIT + 1), _SIZE_LIMIT)
    except OSError as error:
        raise InvalidRequest(f"{path}: {error.strerror}.") from error
    except InvalidYaml as error:
        lines = (f"{_at(path, problem.line)}: {problem.message}" for problem in error.problems)
        raise InvalidRequest("\n".join(lines)) from error
    return Source(path, _scenario(path, document.plain, document), document)


def _of_lines(path: str) -> Iterator[Source]:
    opened = gzip.open if path.endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield Source(f"{path}:{number}", _of_line(f"{path}:{number}", line))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path}: {getattr(error, 'strerror', None) or error}.") from error


def _of_line(where: str, line: str) -> Scenario:
    try:
        # As in YAML, numbers with a point stay text, so that 0.1 stays exact.
        plain = json.loads(line, parse_float=str)
    except ValueError as error:
        raise InvalidRequest(f"{where}: not JSON: {error}.") from error
    return _scenario(where, plain, None)


def _scenario(path: str, plain: Any, document: YamlDocument | None) -> Scenario:
    try:
        return scenarios.read(plain)
    except InvalidFields as error:
        lines = [
            _problem(_at(path, document.line(e.field)) if document else path, e)
            for e in error.fields
        ]
        raise InvalidRequest("\n".join(lines)) from error


def _at(path: str, line: int) -> str:
    return f"{path}:{line}" if line else path


def _problem(where: str, error: FieldError) -> str:
    parts = [where, error.field, f"{error.message} {error.hint}".strip()]
    return ": ".join(filter(None, parts))
