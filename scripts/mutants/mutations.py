"""The mutations of a module: small changes, each of which some test should notice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
FIXED = {"isinstance", "getattr", "setattr", "hasattr", "cast", "zip", *NAMES}
"""Functions whose arguments are not swapped: that would be an error wherever it runs."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Place = ast.expr | ast.stmt
Change = tuple[str, Place, Place, str]
"""A kind of mutation, the first and the last node that are replaced, and the text instead."""


@dataclass(frozen=True)
class Mutation:
    """One change of one module."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    new: bytes

    def applied(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.start] + self.new + source[self.end :]

    def diff(self, source: bytes) -> str:
        """Return the change as a diff without context."""
        before, after = source.decode().splitlines(), self.applied(source).decode().splitlines()
        lines = [line for line in unified_diff(before, after, n=0, lineterm="") if line[:2] != "@@"]
        return "\n".join(lines[2:])


def mutations(file: str, source: bytes) -> list[Mutation]:
    """Return all mutations of a module that are still valid Python."""
    module = Module(source)
    found = [module.mutation(file, change) for change in module.changes()]
    return [each for each in found if _compiles(each.applied(source))]


def _compiles(source: bytes) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


class Module:
    """The source of a module, and its nodes with their parents."""

    def __init__(self, source: bytes) -> None:
        tree = ast.parse(source)
        lines = source.splitlines(keepends=True)
        self._source = source
        self._starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
        self._nodes = list(ast.walk(tree))
        self._parents = {
            child: node for node in self._nodes for child in ast.iter_child_nodes(node)
        }

    def mutation(self, file: str, change: Change) -> Mutation:
        """Return a change as a mutation of a file."""
        kind, first, last, new = change
        start, end = self._span(first)[0], self._span(last)[1]
        return Mutation(file, first.lineno, kind, start, end, new.encode())

    def changes(self) -> Iterator[Change]:
        """Return what can be changed in the bodies of functions, except for texts of errors."""
        for node in self._nodes:
            make = MAKERS.get(type(node))
            if make and self._runs(node):
                yield from make(self, node)

    def text(self, node: Place) -> str:
        """Return the source of a node, in parentheses where it is an operation."""
        start, end = self._span(node)
        text = self._source[start:end].decode()
        return f"({text})" if isinstance(node, (ast.BoolOp, ast.BinOp, ast.IfExp)) else text

    def parent(self, node: ast.AST) -> ast.AST:
        """Return the node around a node."""
        return self._parents[node]

    def _span(self, node: Place) -> tuple[int, int]:
        last = self._starts[(node.end_lineno or node.lineno) - 1]
        return self._starts[node.lineno - 1] + node.col_offset, last + (node.end_col_offset or 0)

    def _runs(self, node: ast.AST) -> bool:
        """Return whether a node is in the body of a function, and in no annotation or message."""
        while parent := self._parents.get(node):
            if isinstance(parent, (ast.Raise, ast.JoinedStr)):
                return False
            if isinstance(parent, ast.AnnAssign) and node is parent.annotation:
                return False
            if isinstance(parent, FUNCTIONS):
                return node in parent.body
            node = parent
        return False


def _compare(module: Module, node: ast.Compare) -> Iterator[Change]:
    if len(node.ops) == 1 and (operator := COMPARISONS.get(type(node.ops[0]))):
        left, right = module.text(node.left), module.text(node.comparators[0])
        yield "comparison flipped", node, node, f"{left} {operator} {right}"


def _bool_op(module: Module, node: ast.BoolOp) -> Iterator[Change]:
    word, other = (" and ", " or ") if isinstance(node.op, ast.And) else (" or ", " and ")
    terms = [module.text(value) for value in node.values]
    yield "and for or", node, node, f"({other.join(terms)})"
    for number in range(len(terms)):
        rest = word.join(terms[:number] + terms[number + 1 :])
        yield "term dropped", node, node, f"({rest})"


def _not(module: Module, node: ast.UnaryOp) -> Iterator[Change]:
    if isinstance(node.op, ast.Not):
        yield "not dropped", node, node, f"({module.text(node.operand)})"


def _bin_op(module: Module, node: ast.BinOp) -> Iterator[Change]:
    texts = (ast.JoinedStr, ast.Constant)
    operator = OPERATORS.get(type(node.op))
    if operator and not (isinstance(node.left, texts) or isinstance(node.right, ast.JoinedStr)):
        left, right = module.text(node.left), module.text(node.right)
        yield "operator", node, node, f"{left} {operator} {right}"


def _constant(module: Module, node: ast.Constant) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield "flag flipped", node, node, str(not node.value)
    elif isinstance(node.value, int):
        yield "off by one", node, node, str(node.value + 1)


def _call(module: Module, node: ast.Call) -> Iterator[Change]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in NAMES:
        yield f"{NAMES[name]} for {name}", node.func, node.func, NAMES[name]
    first, second = node.args[:2] if len(node.args) > 1 else (None, None)
    plain = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
    if name not in FIXED and isinstance(first, plain) and isinstance(second, plain):
        swapped = f"{module.text(second)}, {module.text(first)}"
        yield "arguments swapped", first, second, swapped


def _if_exp(module: Module, node: ast.IfExp) -> Iterator[Change]:
    body, test, orelse = (module.text(each) for each in (node.body, node.test, node.orelse))
    yield "branches swapped", node, node, f"({orelse} if {test} else {body})"


def _expr(module: Module, node: ast.Expr) -> Iterator[Change]:
    if isinstance(node.value, (ast.Call, ast.Await)):
        yield "call dropped", node, node, "pass"


def _if(module: Module, node: ast.If) -> Iterator[Change]:
    if not node.orelse:
        yield "branch dropped", node.body[0], node.body[-1], "pass"


def _aug_assign(module: Module, node: ast.AugAssign) -> Iterator[Change]:
    yield "statement dropped", node, node, "pass"


def _return(module: Module, node: ast.Return) -> Iterator[Change]:
    constant = node.value is None or isinstance(node.value, ast.Constant)
    if not constant and isinstance(module.parent(node), ast.If):
        yield "early None", node, node, "return None"


def _comprehension(module: Module, node: ast.comprehension) -> Iterator[Change]:
    for each in node.ifs:
        yield "filter dropped", each, each, "True"


MAKERS: dict[type[ast.AST], Callable[[Module, Any], Iterator[Change]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.UnaryOp: _not,
    ast.BinOp: _bin_op,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.IfExp: _if_exp,
    ast.Expr: _expr,
    ast.If: _if,
    ast.AugAssign: _aug_assign,
    ast.Return: _return,
    ast.comprehension: _comprehension,
}
