"""Complete what is typed, in the shell and in notebooks: quick, and silent where nobody answers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast, get_args

from ..client import Client, discovery
from ..client.protocol import Lines, Message, Reply
from ..client.transport import Transport
from ..errors import GpuQuotaError
from ..hosting.backends import installed
from ..hosting.config_files import Choice, read_here
from ..model.policy import RULES, IdleAction
from ..model.sessions import Action, Kind
from .grammar import make_parser, subparsers
from .verbs import VERBS

_PATIENCE = 2.0
_ACTIONS: dict[str, Action] = {"stop": "stop", "suspend": "suspend", "resume": "resume"}
"""Commands that only some sessions can be named to, and the action that tells which."""


class Hasty:
    """Carry messages like another transport, but wait for a reply for a moment only."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.url = inner.url

    def send(self, message: Message) -> Reply:
        """Carry one message."""
        return self._inner.send(replace(message, timeout=_PATIENCE))

    def listen(self, message: Message) -> Lines:
        """Carry one message whose answer comes line by line."""
        return self._inner.listen(replace(message, timeout=_PATIENCE))


class Source:
    """Know what may be named; empty where nobody answers, and no controller is started."""

    def __init__(self, find: Callable[[], Transport]) -> None:
        self._find = find

    def values(self, dest: str, verb: str = "", said: Sequence[str] = ()) -> list[str]:
        """Return what an argument of a command may be, by its name in the grammar.

        `said` are the words after the command, where they matter.
        """
        asks: dict[str, Callable[[Client], Iterable[str]]] = {
            "name": _session_names,
            "names": partial(_session_names, action=_ACTIONS.get(verb)),
            "project": _projects,
            "team": _projects,
            "value": _projects,
            "environment": _environments,
            "group": _groups,
            "nodes": _nodes,
        }
        if dest == "backend":
            return sorted(installed())
        if verb == "policy" and dest == "words":
            return _rules(said) if said[1:] else self._ask(partial(_subjects, said=said))
        if dest in ("lock", "unlock"):
            return list(RULES)
        if dest == "topic":
            return [verb.name for verb in VERBS]
        if dest not in asks:
            return []
        return self._ask(asks[dest])

    def _ask(self, ask: Callable[[Client], Iterable[str]]) -> list[str]:
        try:
            return sorted(set(ask(Client(transport=Hasty(self._find())))))
        except GpuQuotaError:
            return []  # a completion must never speak


def complete_shell() -> None:
    """Answer a shell that asks for completions, and end; return at once for any other caller."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete  # noqa: PLC0415 (a shell pays for it only while it completes)
    from argcomplete.completers import SuppressCompleter  # noqa: PLC0415 (the same)

    parser = make_parser(terminal=True)
    for verb, chosen in {"": parser, **subparsers(parser)}.items():
        for action in _actions(chosen):
            if action.choices is None and action.nargs != 0:
                cast("Any", action).completer = _completer(action.dest, verb)
    argcomplete.autocomplete(
        parser, always_complete_options=False, default_completer=SuppressCompleter()
    )


def candidates(words: list[str], source: Source) -> list[str]:
    """Return what may follow the words of a `%gpu` line."""
    parsers = subparsers(make_parser(terminal=False))
    if not words:
        return list(parsers)
    if words[0] not in parsers or "--" in words:
        return []
    actions = _actions(parsers[words[0]])
    options = {name: each for each in actions for name in each.option_strings}
    pending = options.get(words[-1])
    said = [word for word in words[1:] if not word.startswith("-")]
    if pending and pending.nargs != 0 and len(words) > 1:
        return source.values(pending.dest, words[0], said)
    shown = {n: o for n, o in options.items() if o.help != argparse.SUPPRESS}
    found = [name for name in shown if name.startswith("--")]
    for each in actions:
        if not each.option_strings:
            found += list(each.choices or ()) or source.values(each.dest, words[0], said)
    return found


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions  # noqa: SLF001 (argparse has no other way)


def _completer(dest: str, verb: str) -> Callable[..., list[str]]:
    def complete(parsed_args: object = None, **_: object) -> list[str]:
        named = Choice(backend=getattr(parsed_args, "backend", None) or "")
        source = Source(partial(discovery.find, named=named, read=read_here, start=False))
        action, words = getattr(parsed_args, "action", None), getattr(parsed_args, "words", None)
        return source.values(dest, verb, [*filter(None, [action]), *(words or ())])

    return complete


def _session_names(client: Client, action: Action | None = None) -> Iterable[str]:
    sessions = client.sessions.list()
    return (s.spec.name for s in sessions if action is None or action in s.actions)


def _projects(client: Client) -> Iterable[str]:
    return client.quota.get().mine


def _environments(client: Client) -> Iterable[str]:
    return (environment.id for environment in client.environments.list().environments)


def _groups(client: Client) -> Iterable[str]:
    return (group.name for group in client.node_groups.list().items)


def _subjects(client: Client, said: Sequence[str]) -> Iterable[str]:
    """Name what may follow an action of `policy`: levels, sessions, or whom to exempt."""
    action = next(iter(said), "")
    if action == "explain":
        return _session_names(client)
    projects = [f"project:{project.name}" for project in client.projects.list().items]
    if action == "unexempt":
        return [each.who for each in client.policy.get().exemptions]
    if action == "exempt":
        owners = {f"user:{session.owner}" for session in client.sessions.list()}
        return [*projects, *owners, *(f"session:{name}" for name in _session_names(client))]
    if action == "unset":
        return [level.level for level in client.policy.get().levels]
    kinds = [f"kind:{kind}" for kind in get_args(Kind)]
    return ["everyone", *projects, *kinds] if action in ("set", "try") else []


def _rules(said: Sequence[str]) -> list[str]:
    """Return rules that may follow a level; where they are set, with values that are words."""
    if said[0] not in ("set", "try"):
        return list(RULES) if said[0] == "unset" else []
    words = {rule: get_args(IdleAction) for rule in ("action", "gpu_idle_action")}
    return [f"{rule}={word}" for rule in RULES for word in words.get(rule, ("",))]


def _nodes(client: Client) -> Iterable[str]:
    return (node.name for node in client.nodes.list().nodes)
