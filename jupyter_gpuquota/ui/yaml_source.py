"""Read YAML so that everything in it can be traced to its line."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from ..errors import InvalidRequest

_STEP = re.compile(r"\[(\d+|\.\.\.)\]|([^.\[\]]+)")
_KEPT_AS_TEXT = "tag:yaml.org,2002:float"
_MOST = 4 << 20


class _Loader(yaml.SafeLoader):
    """Compose without aliases: a small file cannot stand for a huge one."""

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not understood", problem_mark=mark)
        return super().compose_node(parent, index)  # type: ignore[arg-type]


class YamlSource:
    """Be a YAML file: `plain` is what it says, `line` tells where.

    Numbers with a decimal point stay text, so that 0.1 is exactly that. Raises InvalidRequest
    for what is not one YAML document, or names a key twice.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            root = yaml.compose(_text(path), _Loader)
        except yaml.YAMLError as error:
            raise InvalidRequest(f"{path}{_where(error)}") from error
        except RecursionError as error:
            raise InvalidRequest(f"{path}: it is nested too deeply.") from error
        if root is None:
            raise InvalidRequest(f"{path}: it is empty.")
        self._root = root
        self.plain = self._plain(root, "")

    def line(self, path: str, key: str = "") -> int:
        """Tell the line of a path such as `steps[3].submit.gpu`, or of the nearest above it.

        With `key`, of that key there. `[...]` stands for any entry of a mapping.
        """
        steps = [match[1] or match[2] for match in _STEP.finditer(path)]
        found = _find(self._root, [*steps, key] if key else steps)
        while found is None and steps:
            found = _find(self._root, steps)
            steps.pop()
        return int((found or self._root).start_mark.line) + 1

    def _plain(self, node: yaml.Node, path: str) -> object:
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(child, path) for child in node.value]
        if isinstance(node, yaml.MappingNode):
            return {
                key.value: self._plain(value, key.value)
                for key, value in node.value
                if self._is_new(key, node)
            }
        return node.value if node.tag == _KEPT_AS_TEXT else _scalar(node, self.path)

    def _is_new(self, key: yaml.Node, node: yaml.MappingNode) -> bool:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise InvalidRequest(f"{self.path}:{line}: a key has to be a word.")
        if next(k for k, _ in node.value if k.value == key.value) is not key:
            raise InvalidRequest(f"{self.path}:{line}: the key {key.value!r} is named twice.")
        return True


def _scalar(node: yaml.Node, path: str) -> object:
    maker = yaml.constructor.SafeConstructor()
    try:
        return maker.construct_object(node)
    except (yaml.YAMLError, ValueError) as error:
        line = node.start_mark.line + 1
        raise InvalidRequest(f"{path}:{line}: {node.value!r} is not understood.") from error


def _find(node: yaml.Node, steps: list[str]) -> yaml.Node | None:
    """Follow steps down; return the key at the end, or the entry of a list."""
    place: yaml.Node | None = node
    for step in steps:
        place = None
        if isinstance(node, yaml.SequenceNode) and step.isdecimal():
            place = node = node.value[int(step)] if int(step) < len(node.value) else node
        elif isinstance(node, yaml.MappingNode) and step == "...":
            rest = steps[steps.index(step) + 1 :]
            found = [match for _, value in node.value if (match := _find(value, rest)) and rest]
            return found[0] if len(found) == 1 else None
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == step:
                    place, node = key, value
        if place is None:
            return None
    return place


def _text(path: str) -> str:
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(_MOST + 1)
    except OSError as error:
        raise InvalidRequest(f"{path}: it cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{path}: it is not UTF-8 text.") from error
    if len(text) > _MOST:
        raise InvalidRequest(f"{path}: it is larger than {_MOST >> 20} MiB.")
    return text


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f":{mark.line + 1}: {problem}." if mark else f": {problem}."
