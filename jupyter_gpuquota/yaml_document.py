"""Untrusted YAML: bounded, without references, and with a line number for each part.

Everything that the product reads as YAML (quota files, scenarios) is read here, in one pass. What
`yaml_text` writes is read back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

DEPTH_LIMIT = 20
"""Most lists and mappings inside each other."""

_STR, _INT = "tag:yaml.org,2002:str", "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_COLLECTIONS = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
_TIME = re.compile(r"[-+]?[0-9][0-9_]*:.*|[0-9]{4}-[0-9][0-9]?-.*", re.ASCII)
_DECIMAL = re.compile(r"[-+]?[0-9]+\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a document and its line; 0 for the document as a whole."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.message}" if self.line else self.message


class InvalidYaml(ValueError):
    """The text is not YAML, or YAML that is not accepted."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(" ".join(map(str, problems)))
        self.problems = problems


class YamlDocument:
    """A document: `plain` is its value, `line` returns the line of a part.

    An empty one is an empty mapping. Whole numbers are read as in YAML 1.2. Other numbers, times
    and dates stay text, so that 0.1 stays exact and 22:00 a time.
    """

    def __init__(self, data: bytes, limit: int) -> None:
        """Read UTF-8 text of at most `limit` bytes. Raises InvalidYaml."""
        self._lines: dict[str, int] = {}
        self._problems: list[Problem] = []
        text = _text(data, limit)
        try:
            loader = _Loader(text)
            root = loader.get_single_node()
            self.plain = {} if root is None else self._plain(root, "", loader)
        except yaml.YAMLError as error:
            raise InvalidYaml(_problem(error, text)) from error
        if self._problems:
            raise InvalidYaml(*self._problems)

    def line(self, path: str) -> int:
        """Return the line of a path such as `steps[3].submit.gpu`, or of what is around it."""
        while path and path not in self._lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self._lines.get(path, 1)

    def _plain(self, node: yaml.Node, path: str, loader: _Loader) -> object:
        """Return the value of a node, and note the lines of what is in it."""
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, loader)
        if node.tag not in _COLLECTIONS:
            self._refuse(node, f"The tag {node.tag!r} is not supported.")
        if isinstance(node, yaml.MappingNode):
            return {
                name: self._plain(value, inside, loader)
                for name, inside, value in self._entries(node, path)
            }
        return [self._plain(each, f"{path}[{i}]", loader) for i, each in enumerate(node.value)]

    def _entries(self, node: yaml.MappingNode, path: str) -> Iterator[tuple[str, str, yaml.Node]]:
        """Yield the key, path and value of each entry; its line is that of its key."""
        keys: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._refuse(key, "A key must be a word.")
            elif key.value in keys:
                self._refuse(key, f"The key {key.value!r} is already set above. Keep one of them.")
            else:
                keys.add(key.value)
                inside = f"{path}.{key.value}" if path else key.value
                self._lines[inside] = key.start_mark.line + 1
                yield key.value, inside, value

    def _scalar(self, node: yaml.ScalarNode, loader: _Loader) -> object:
        if node.tag == _FLOAT:
            return node.value
        try:
            return loader.construct_object(node)
        except (yaml.YAMLError, ValueError):
            self._refuse(node, f"{node.value[:40]!r} cannot be read as {node.tag!r}.")
            return None

    def _refuse(self, node: yaml.Node, message: str) -> None:
        self._problems.append(Problem(node.start_mark.line + 1, message))


def yaml_text(plain: object) -> str:
    """Return a value as YAML; the innermost lists and mappings are in brackets, on one line."""
    return yaml.dump(
        plain,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )


class _Loader(yaml.SafeLoader):
    """Refuse references and deep nesting before they cost anything."""

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        """Begin a list or mapping in brackets."""
        self._check_depth()
        super().fetch_flow_collection_start(token)

    def add_indent(self, column: int) -> bool:
        """Begin an indented list or mapping."""
        self._check_depth()
        return bool(super().add_indent(column))

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        """Return the next node; a few references to others could stand for millions."""
        if self.check_event(yaml.AliasEvent):
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            message = f"*{event.anchor} is not supported: write out what it refers to."
            raise InvalidYaml(Problem(event.start_mark.line + 1, message))
        return super().compose_node(parent, index)  # type: ignore[arg-type]

    def construct_decimal(self, node: yaml.ScalarNode) -> int:
        """Return a whole number as it is written: YAML 1.1 takes `010` for 8."""
        return int(str(self.construct_scalar(node)))

    def _check_depth(self) -> None:
        if self.flow_level + len(self.indents) > DEPTH_LIMIT:
            message = f"More than {DEPTH_LIMIT} lists and mappings are inside each other."
            raise InvalidYaml(Problem(self.line + 1, message))


_Loader.yaml_implicit_resolvers = {
    first: [
        (_STR, _TIME),
        ("!decimal", _DECIMAL),
        *((tag, known) for tag, known in resolvers if tag != _INT),
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor("!decimal", _Loader.construct_decimal)


class _Dumper(yaml.SafeDumper):
    """Writes no references, and numbers as `_Loader` reads them."""

    def ignore_aliases(self, data: object) -> bool:
        """Return that everything is written out."""
        return True


def _written(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    """Return a text as a scalar: escaped where it has breaks that other quotes would lose."""
    return dumper.represent_scalar(_STR, text, style='"' if _BREAKS & set(text) else None)


_BREAKS = frozenset("\x85\u2028\u2029")
_Dumper.add_representer(str, _written)
_Dumper.yaml_implicit_resolvers = {
    first: [(tag, known) for tag, known in resolvers if tag != _FLOAT]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}
_Dumper.add_representer(int, lambda dumper, value: dumper.represent_scalar("!decimal", str(value)))
_Dumper.add_representer(float, lambda dumper, value: dumper.represent_str(repr(value)))


def _text(data: bytes, limit: int) -> str:
    if len(data) > limit:
        raise InvalidYaml(Problem(0, f"The file is larger than {limit >> 10} KiB."))
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidYaml(Problem(line, "The file is not UTF-8 text.")) from error


def _problem(error: yaml.YAMLError, text: str) -> Problem:
    """Return where a document stops being YAML, and how."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        said = ": ".join(filter(None, (error.context, error.problem)))
        return Problem(error.problem_mark.line + 1, f"Invalid YAML: {said}.")
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return Problem(line, f"Invalid YAML: {error.reason}.")
    return Problem(0, f"Invalid YAML: {' '.join(str(error).split())}.")
