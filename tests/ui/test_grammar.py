"""What words mean, and what is said of words that mean nothing."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import GpuQuotaError, InvalidRequest
from jupyter_gpuquota.ui.actions import ACTIONS
from jupyter_gpuquota.ui.grammar import help_text, parse, split_line
from jupyter_gpuquota.ui.grammar_submit import wishes
from jupyter_gpuquota.ui.parser import HelpWanted
from jupyter_gpuquota.ui.texts import EXAMPLES
from jupyter_gpuquota.ui.verbs import ALIASES, VERBS


def read(line: str):
    return wishes(parse(split_line(f"submit {line}"), terminal=False))


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


def test_a_training_without_a_command_says_both_ways_on():
    said = problems("exp1 -g 1")["command"]
    assert "-- python train.py" in said
    assert "--interactive" in said


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
def test_what_no_server_could_make_sense_of(line, field):
    assert list(problems(line)) == [field]


def test_all_of_it_is_said_at_once():
    assert set(problems("exp1 exp2 -e A --environment B=1")) == {
        "name",
        "env.A",
        "environment",
        "command",
    }


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["-x", "list"], "no option '-x'", ""),
        (["lst"], "no command 'lst'", "Did you mean list?"),
        (["submit", "x", "--gpuu", "1"], "no option '--gpuu'", "--gpu"),
        (["submit", "x", "--gp", "1"], "no option '--gp'", "--gpu"),
        (["list", "extra"], "does not take 'extra'", "help list"),
        (["list", "--", "extra"], "nothing after `--`", "help list"),
        (["describe"], "required: NAME", "--help"),
        (["logs", "x", "--tail", "many"], "'many' is not a whole number", ""),
        (["logs", "x", "--tail", "-1"], "'-1' is not a whole number", ""),
        (["logs", "x", "--tail", "0"], "it must be at least 1", ""),
        (["list", "--state", "running,zzz"], "no state 'zzz'; there are waiting, starting", ""),
        (["submit", "x", "--port", "8x"], "'8x' is not a whole number", ""),
        (["submit", "x", "--priority", "1.5"], "'1.5' is not a whole number", ""),
        (["submit", "x", "-g"], "expected one argument", ""),
        (["exec", "x", "ls", "-l"], "no option '-l'", "after `--`"),
        (["config", "colour"], "invalid choice: 'colour'", ""),
        (["--version"], "required: COMMAND", ""),
        (["bash", "x"], "no command 'bash'", ""),
    ],
)
def test_words_that_mean_nothing(words, message, hint):
    with pytest.raises(InvalidRequest) as caught:
        parse(words, terminal=False)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_an_open_quotation_is_a_mistake_of_the_line():
    with pytest.raises(InvalidRequest, match="quotation"):
        split_line('exec x "ls')


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["list", "-h"], ["submit", "--help"]])
@pytest.mark.parametrize("terminal", [True, False])
def test_help_is_no_error(words, terminal):
    with pytest.raises(HelpWanted) as caught:
        parse(words, terminal=terminal)
    assert caught.value.text.startswith("usage: jupyter gpu" if terminal else "usage: %gpu")


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_command_is_done_and_explained(verb):
    assert verb.name in ACTIONS
    text = help_text(verb.name, terminal=True)
    assert verb.summary[1:] in text
    assert ("--json" in text) == (verb.name not in {"bash", "help"})
    assert "{" not in EXAMPLES.get(verb.name, "").format(prog="x")


def test_json_is_of_the_shell_only():
    with pytest.raises(InvalidRequest):
        parse(["list", "--json"], terminal=False)
    assert parse(["list", "--json"], terminal=True).json


@pytest.mark.parametrize(("short", "long"), ALIASES.items())
def test_a_short_name_means_the_same(short, long):
    words = ["x"] if long == "describe" else []
    assert parse([short, *words], terminal=False).verb == long


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_examples_of_the_help_are_understood(verb):
    for line in EXAMPLES.get(verb.name, "").splitlines():
        if line.startswith("  {prog} "):
            args = parse(split_line(line.removeprefix("  {prog} ")), terminal=True)
            assert args.verb == verb.name
            if verb.name == "submit":
                assert wishes(args)[2] == ()


verbs = st.sampled_from([verb.name for verb in VERBS])
words = st.lists(st.one_of(verbs, st.text(max_size=12)), max_size=6)


@given(said=words, terminal=st.booleans())
@example(said=["-:", "submit"], terminal=False)
def test_any_words_are_understood_or_refused_in_our_words(said, terminal):
    with suppress(HelpWanted, GpuQuotaError):  # anything else fails the test
        args = parse(said, terminal=terminal)
        if args.verb == "submit":
            wishes(args)


@given(st.text(max_size=40))
def test_any_line_is_split_or_refused(line):
    with suppress(InvalidRequest):  # anything else fails the test
        assert all(isinstance(word, str) for word in split_line(line))
