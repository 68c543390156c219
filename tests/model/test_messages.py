"""The catalog of messages: English templates, and how they are filled in."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

import jupyter_gpuquota
from jupyter_gpuquota.model.messages import formats
from jupyter_gpuquota.model.messages.build import field_error, message, reason, sentences_of
from jupyter_gpuquota.model.messages.catalog import CATALOG
from jupyter_gpuquota.model.messages.templates import Plural, Text, kinds, render
from tests.each import each

SAMPLES: dict[str, str | int] = {
    "amount": 2500,
    "and": "a,b,c",
    "bytes": 1_234_567_890,
    "count": 3,
    "duration": 7500,
    "gpus": 500,
    "holders": "team-d/8000/2000,team-b/2000/0",
    "memory": 8192,
    "or": "a,b",
    "place": "dgx1-2/0,3/simulated",
    "policy": "project:team-a",
    "sessions": "exp-1,team-b/2",
    "share": "500/0/30/",
    "signals": "kernels,cpu",
    "text": "exp-1",
    "time": "2026-01-02T14:05:00+00:00",
}
BUILDERS = {"message": 1, "reason": 2, "field_error": 2, "wrong": 2, "BadValue": 1}
"""The functions that take a key, and after how many arguments it stands."""


def sample(text: Text) -> dict[str, str | int]:
    types = kinds(text.message) | kinds(text.hint)
    return {name: SAMPLES[kind] for name, kind in types.items()}


def templates(text: Text) -> list[str]:
    both = (text.message, text.hint)
    return [
        t for each in both for t in ([each.one, each.many] if isinstance(each, Plural) else [each])
    ]


@each(CATALOG)
def test_every_message_can_be_rendered(key: str):
    found = reason("OverQuota", key, **sample(CATALOG[key]))
    assert found.message
    assert "{" not in found.message + found.hint
    assert found.message == message(key, **sample(CATALOG[key])).text


@each(CATALOG)
def test_an_argument_has_one_type_in_a_message(key: str):
    found = [
        (name, kind)
        for template in templates(CATALOG[key])
        for _, name, kind, _ in Formatter().parse(template)
        if name
    ]
    assert len(dict(found)) == len(set(found))


def test_every_type_is_written():
    assert set(SAMPLES) == {*formats.NUMBERS, *formats.TEXTS}
    written = {kind: formats.formatted(kind, value) for kind, value in SAMPLES.items()}
    assert written == {
        "amount": "2.5",
        "and": "a, b and c",
        "bytes": "1.1 GiB",
        "count": "3",
        "duration": "2 h 5 min",
        "gpus": "0.5 GPU",
        "holders": "team-d 8 (2 borrowed), team-b 2",
        "memory": "8 GiB",
        "or": "a or b",
        "place": "dgx1-2, GPU 0, 3 (simulated)",
        "policy": "team-a's policy",
        "sessions": "exp-1, 2 sessions of team-b",
        "share": "0.5 GPU, 30 % compute",
        "signals": "kernel or CPU activity",
        "text": "exp-1",
        "time": "14:05 UTC",
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (54, "54 s"),
        (327, "5 min 27 s"),
        (7200, "2 h"),
        (7206, "2 h"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: int, text: str):
    assert formats.duration(seconds) == text


@pytest.mark.parametrize(("milli", "text"), [(500, "0.5 GPU"), (1000, "1 GPU"), (1500, "1.5 GPUs")])
def test_gpus_are_counted_in_words(milli: int, text: str):
    assert formats.formatted("gpus", milli) == text


@pytest.mark.parametrize(("kind", "value"), [("gpus", "1"), ("text", 1), ("nonsense", "1")])
def test_a_value_of_another_type_is_refused(kind: str, value: str | int):
    with pytest.raises(TypeError, match=kind):
        formats.formatted(kind, value)


def test_a_plural_is_chosen_by_its_count():
    plural = Plural("n", one="{n:count} session", many="{n:count} sessions")
    assert [render(plural, {"n": n}) for n in (0, 1, 2)] == [
        "0 sessions",
        "1 session",
        "2 sessions",
    ]


def test_arguments_are_those_of_the_text_and_no_others():
    args = sample(CATALOG["quota.interactive"])
    with pytest.raises(TypeError, match="owner"):
        reason("OverQuota", "quota.interactive", **args, owner="ana")
    with pytest.raises(TypeError, match="quota"):
        reason("OverQuota", "quota.interactive")
    with pytest.raises(KeyError):
        reason("OverQuota", "quota.unheard")


def test_a_further_sentence_keeps_the_first_translatable():
    first = reason("OverQuota", "quota.interactive", **sample(CATALOG["quota.interactive"]))
    second = message("quota.interactive", **sample(CATALOG["quota.interactive"]))
    both = first.extended(second)
    assert both.message == f"{first.message} {second.text}"
    assert [each.text for each in sentences_of(both)] == [first.message, second.text]


def calls() -> list[tuple[str, int, str, set[str | None]]]:
    """Return where keys are used: file, line, key, and the names of the arguments."""
    root = Path(jupyter_gpuquota.__file__).parent
    return [
        (path.name, node.lineno, key.value, {each.arg for each in node.keywords} - {"raw"})
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and len(node.args) == BUILDERS.get(getattr(node.func, "id", getattr(node.func, "attr", "")))
        and isinstance(key := node.args[-1], ast.Constant)
    ]


def test_every_key_in_the_code_is_in_the_catalog_with_its_arguments():
    wrong = [
        (file, line, key)
        for file, line, key, names in calls()
        if key not in CATALOG or not (names == CATALOG[key].names or None in names)
    ]
    assert wrong == []


def test_a_field_error_carries_its_key():
    found = field_error("gpu", "quota.interactive", **sample(CATALOG["quota.interactive"]))
    assert (found.field, found.key, found.args["project"]) == ("gpu", "quota.interactive", "exp-1")
