"""The grammar: what words mean, and errors for wrong ones."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import GpuQuotaError, InvalidRequest
from jupyter_gpuquota.ui.command import Command
from jupyter_gpuquota.ui.commands import COMMANDS
from jupyter_gpuquota.ui.commands.sessions.request import read as read_request
from jupyter_gpuquota.ui.grammar import HELP, make_parser, parse, split_line
from jupyter_gpuquota.ui.parser import HelpRequested
from tests.each import each


def leaves(command: Command, *above: str) -> list[tuple[tuple[str, ...], Command]]:
    """The actions of a command with their words, or the command itself."""
    path = (*above, command.name)
    if not command.actions:
        return [(path, command)]
    return [leaf for action in command.actions for leaf in leaves(action, *path)]


LEAVES = [leaf for command in COMMANDS for leaf in leaves(command)]


def read(line: str):
    return read_request(parse(split_line(f"submit {line}"), terminal=False))


def asked(line: str):
    name, found, wrong = read(line)
    assert wrong == ()
    return name, found


def problems(line: str) -> dict[str, str]:
    return {f.field: f"{f.message} {f.hint}" for f in read(line)[2]}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("exp1 -g 0.5 --interactive", {"gpu": "0.5", "kind": "interactive"}),
        ("exp1 --gpu=2 --interactive", {"gpu": "2"}),
        ("-g 0.5 --interactive exp1", {"gpu": "0.5"}),
        ("--name exp1 --interactive", {}),
        ("exp1 -g -1 --interactive", {"gpu": "-1"}),
        ("exp1 --gpu-memory 8Gi --gpu-compute 30 --interactive", {"gpu_memory": "8Gi"}),
        ("exp1 --mig-profile 1g.10gb --interactive", {"mig_profile": "1g.10gb"}),
        ("exp1 -p team-a --interactive", {"project": "team-a"}),
        ("exp1 --interactive --preemptible", {"kind": "interactive-spot"}),
        ("exp1 --preemptible -- ls", {"kind": "train", "command": ["ls"]}),
        ("exp1 -i base --interactive", {"environment": "base"}),
        ("exp1 --image base --interactive", {"environment": "base"}),
        ("exp1 --environment base --interactive", {"environment": "base"}),
        ("exp1 -e A=1 -e B= -e C=x=y --interactive", {"env": {"A": "1", "B": "", "C": "x=y"}}),
        ("exp1 --port 6006 --port 6007 --interactive", {"ports": [6006, 6007]}),
        ("exp1 --priority 70 --folder /data --interactive", {"priority": 70, "folder": "/data"}),
        ("exp1 --idle-timeout 2h --interactive", {"idle_timeout": "2h"}),
    ],
)
def test_the_options_of_a_session(line, wanted):
    name, found = asked(line)
    assert name == "exp1"
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    ("line", "command", "arguments"),
    [
        ("exp1 --interactive", [], []),
        ("exp1 --interactive -- --ServerApp.x=1", [], ["--ServerApp.x=1"]),
        ("exp1 --interactive --args=--ServerApp.x=1", [], ["--ServerApp.x=1"]),
        ("exp1 -- python train.py --lr 0.1", ["python", "train.py", "--lr", "0.1"], []),
        ("exp1 --command sleep --args infinity", ["sleep"], ["infinity"]),
        ("exp1 --command 'python train.py' -- --lr 0.1", ["python", "train.py"], ["--lr", "0.1"]),
        ("exp1 --command -- sleep infinity", ["sleep", "infinity"], []),
        ("exp1 --interactive --command -- sleep 9", ["sleep", "9"], []),
        ("exp1 -- sh -c 'echo -- x'", ["sh", "-c", "echo -- x"], []),
        ("exp1 -- cmd -- more", ["cmd", "--", "more"], []),
    ],
)
def test_what_runs(line, command, arguments):
    _, found = asked(line)
    assert (found["command"], found["args"]) == (command, arguments)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("exp1 --command", "command"),
        ("exp1 --command ''", "command"),
        ('exp1 --command "a \'b"', "command"),
        ('exp1 --interactive --args "a \'b"', "args"),
        ("exp1 --interactive -e A", "env.A"),
        ("exp1 --interactive -e A=1 -e A=2", "env.A"),
        ("exp1 --interactive --environment A=1", "environment"),
        ("exp1 exp2 --interactive", "name"),
        ("exp1 --name exp2 --interactive", "name"),
    ],
)
def test_problems_found_without_a_server(line, field):
    assert list(problems(line)) == [field]


def test_all_problems_are_reported_at_once():
    assert set(problems("exp1 exp2 -e A --environment B=1")) == {
        "name",
        "env.A",
        "environment",
    }


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["-x", "list"], "Unknown option '-x'", ""),
        (["lst"], "Unknown command 'lst'", "Did you mean list?"),
        (["launch", "x"], "Unknown command 'launch'", "Did you mean submit?"),
        (["show", "x"], "Unknown command 'show'", "Did you mean describe?"),
        (["top"], "Unknown command 'top'", "Did you mean nodes --sessions?"),
        (["start", "x"], "Unknown command 'start'", "Did you mean submit or resume?"),
        (["submit", "x", "--gpuu", "1"], "Unknown option '--gpuu'", "--gpu"),
        (["submit", "x", "--gp", "1"], "Unknown option '--gp'", "--gpu"),
        (["list", "extra"], "Unexpected argument 'extra'", "list --help"),
        (["project", "lst"], "project has no action 'lst'", "Did you mean list"),
        (["snapshot", "lsit"], "snapshot has no action 'lsit'", "Did you mean list"),
        (
            ["snapshot", "exp1"],
            "snapshot has no action 'exp1'",
            "If it is a session: snapshot create exp1.",
        ),
        (["project", "set", "a", "--quotta", "1"], "Unknown option '--quotta'", "--quota"),
        (["project", "show", "a", "--quota", "1"], "Unknown option '--quota'", "Available: --help"),
        (["list", "--usr", "--stat"], "Unknown options '--usr', '--stat'", "--user or --state"),
        (["policy"], "required: ACTION", "--help"),
        (["policy", "unset"], "required: LEVEL", "policy unset --help"),
        (["list", "--", "extra"], "nothing after `--`", "help list"),
        (["describe"], "required: NAME", "--help"),
        (["logs", "x", "--tail", "many"], "'many' is not a whole number", ""),
        (["logs", "x", "--tail", "-1"], "'-1' is not a whole number", ""),
        (["logs", "x", "--tail", "0"], "must be at least 1", ""),
        (
            ["list", "--state", "running,zzz"],
            "unknown state 'zzz'; available: queued, starting",
            "",
        ),
        (["submit", "x", "--port", "8x"], "'8x' is not a whole number", ""),
        (["submit", "x", "--priority", "1.5"], "'1.5' is not a whole number", ""),
        (["submit", "x", "-g"], "expected one argument", ""),
        (["exec", "x", "ls", "-l"], "Unknown option '-l'", "after `--`"),
        (["quota", "--by", "colour"], "invalid choice: 'colour'", ""),
        (["--version"], "required: COMMAND", ""),
        (["bash", "x"], "Unknown command 'bash'", ""),
    ],
)
def test_wrong_words_are_refused_with_a_suggestion(words, message, hint):
    with pytest.raises(InvalidRequest) as caught:
        parse(words, terminal=False)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_an_open_quotation_is_refused():
    with pytest.raises(InvalidRequest, match="quotation"):
        split_line('exec x "ls')


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["list", "-h"], ["submit", "--help"]])
@pytest.mark.parametrize("terminal", [True, False])
def test_help_is_not_an_error(words, terminal):
    with pytest.raises(HelpRequested) as caught:
        parse(words, terminal=terminal)
    assert caught.value.text.startswith("usage: jupyter gpu" if terminal else "usage: %gpu")


def help_text(topic, *, terminal):
    with pytest.raises(HelpRequested) as caught:
        parse([*topic, "--help"], terminal=terminal)
    return caught.value.text


@each(LEAVES, lambda leaf: " ".join(leaf[0]))
def test_every_command_is_run_and_explained(leaf):
    path, command = leaf
    assert command.run is not None
    text = help_text(path, terminal=True)
    assert text.startswith(f"usage: jupyter gpu {' '.join(path)}")
    assert command.summary[1:] in text
    assert ("--json" in text) == command.prints_json
    assert (command.summary in help_text(path[:-1], terminal=True)) != command.hidden


@each([*COMMANDS, HELP], lambda command: command.name)
def test_the_overview_lists_every_command_of_its_skin(command):
    line = f"  {command.name} "
    assert (line in help_text((), terminal=True)) != command.hidden
    assert (line in help_text((), terminal=False)) == (not command.shell_only)


def test_a_hidden_command_is_not_mentioned():
    [hidden] = [command.name for command in COMMANDS if command.hidden]
    assert parse([hidden, "x"], terminal=True).verb == hidden
    with pytest.raises(HelpRequested):
        parse(["help", hidden], terminal=True)
    with pytest.raises(InvalidRequest) as raised:
        parse(["nothing-like-it"], terminal=True)
    assert hidden not in raised.value.hint
    with pytest.raises(InvalidRequest):
        parse([hidden, "x"], terminal=False)
    assert hidden not in make_parser(terminal=True).commands


def test_names_of_commands_are_unique():
    names = [command.name for command in (*COMMANDS, HELP)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("project", "project list"),
        ("project --json", "project list --json"),
        ("controller --all", "controller status --all"),
        ("controller --backend b stop", "controller stop --backend b"),
        ("project -q 4 set a", "project set a -q 4"),
        ("policy set --grace 1 everyone action=stop", "policy set everyone action=stop --grace 1"),
        ("policy set everyone --grace 1 action=stop", "policy set everyone action=stop --grace 1"),
    ],
)
def test_actions_have_defaults_and_can_follow_options(line, same):
    assert parse(split_line(line), terminal=True) == parse(split_line(same), terminal=True)


@pytest.mark.parametrize("words", [["help", "project", "set"], ["project", "set", "-h"]])
def test_help_explains_an_action(words):
    with pytest.raises(HelpRequested) as caught:
        parse(words, terminal=False)
    assert caught.value.text.startswith("usage: %gpu project set")


def test_only_the_shell_has_json():
    with pytest.raises(InvalidRequest):
        parse(["list", "--json"], terminal=False)
    assert parse(["list", "--json"], terminal=True).json


@each(LEAVES, lambda leaf: " ".join(leaf[0]))
def test_the_examples_of_the_help_are_understood(leaf):
    path, command = leaf
    assert path[-1] == command.name
    for line in command.examples:
        args = parse(split_line(line), terminal=True)
        assert args.chosen is command
        if command.name == "submit":
            assert read_request(args)[2] == ()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_so_are_the_examples_of_commands_with_actions(command):
    for line in command.examples:
        assert parse(split_line(line), terminal=True).verb == command.name


verbs = st.sampled_from([word for path, _ in LEAVES for word in path])
words = st.lists(st.one_of(verbs, st.text(max_size=12)), max_size=6)


@given(said=words, terminal=st.booleans())
@example(said=["-:", "submit"], terminal=False)
def test_any_words_are_parsed_or_refused_with_our_errors(said, terminal):
    with suppress(HelpRequested, GpuQuotaError):  # anything else fails the test
        args = parse(said, terminal=terminal)
        if args.verb == "submit":
            read_request(args)


@given(st.text(max_size=40))
def test_any_line_is_split_or_refused(line):
    with suppress(InvalidRequest):  # anything else fails the test
        assert all(isinstance(word, str) for word in split_line(line))
