"""Templates by the client, and by the words of a shell or a notebook."""

from __future__ import annotations

from argparse import Namespace

import msgspec
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields, NotFound
from jupyter_gpuquota.model.templates import Template, TemplateFields
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.commands.sessions.request import read
from jupyter_gpuquota.ui.console import Console
from jupyter_gpuquota.ui.grammar import parse, split_line
from jupyter_gpuquota.ui.views.templates import TemplateView
from jupyter_gpuquota.ui.views.view import View


def words(line: str) -> Namespace:
    return parse(split_line(line), terminal=False)


@pytest.fixture
def say(client: Client, console: Console):
    """Return what a line shows."""

    def say(line: str) -> View[object]:
        shown = run(client, words(line), console)
        assert shown is not None
        return shown

    return say


def test_a_template_is_saved_shown_launched_and_deleted(say, client: Client) -> None:
    said = say(
        "template save small -p team-a --gpu-memory 8Gi -e A=1 -e B=1 --priority 60 "
        '--title "A small one" --on-shutdown suspend -- sleep 600'
    )
    assert "submit NAME --template small" in said.text
    shown = say("template show small").text
    assert all(text in shown for text in ("A small one", "8Gi", "sleep 600", "suspend", "A, B"))
    assert "A small one" in say("template").text

    say("submit exp1 --template small -e B=2")
    spec = client.sessions.get("exp1").spec
    assert (spec.share.memory, spec.kind, spec.priority) == (8192, "train", 60)
    assert (spec.env, spec.command) == ({"A": "1", "B": "2"}, ("sleep", "600"))

    say("template delete small")
    assert "No templates" in say("template list").text
    with pytest.raises(NotFound):
        say("submit exp2 --template small")


def test_what_is_given_goes_before_the_template(client: Client) -> None:
    client.templates.save("small", project="team-a", gpu_memory="8Gi", priority=60)
    other = client.sessions.submit("exp1", template="small", gpu=0.5, kind="interactive-spot")
    assert (other.spec.share.milli, other.spec.share.memory) == (500, 0)
    assert (other.spec.kind, other.spec.priority) == ("interactive-spot", 60)
    same = client.sessions.submit("exp2", template="small", gpu_compute=30)
    assert (same.spec.share.memory, same.spec.share.compute) == (8192, 30)


def test_a_session_is_copied_into_a_template(say, client: Client) -> None:
    client.sessions.submit("exp1", project="team-a", gpu=0.25, env={"A": "1"})
    say("template save like --from exp1")
    saved = client.templates.get("like")
    assert (saved.request.gpu, saved.request.env) == ("0.25", {"A": "1"})


def test_an_own_template_goes_before_one_of_admins(client: Client) -> None:
    client.templates.save("small", shared=True, project="team-a", gpu=1)
    assert client.templates.get("small").request.gpu == "1"
    client.templates.save("small", project="team-a", gpu=0.5)
    assert client.templates.get("small").request.gpu == "0.5"
    client.templates.delete("small")
    assert client.templates.get("small").scope == "admin"


def test_all_that_is_wrong_is_said_at_once(say) -> None:
    with pytest.raises(InvalidFields) as caught:
        say('template save Small -p nowhere -g 0.0001 --interactive --title "a\nb"')
    assert {each.field for each in caught.value.fields} == {"name", "project", "gpu", "title"}


def test_words_that_were_not_given_are_left_to_the_template() -> None:
    name, wishes, problems = read(words("submit exp1 --template small -p team-b"))
    assert (name, wishes, problems) == ("exp1", {"template": "small", "project": "team-b"}, ())
    _, _, problems = read(words("submit exp1 --template small --command"))
    assert [each.field for each in problems] == ["command"]
    _, wishes, _ = read(words("submit exp2 --like exp1 -g 1"))
    assert wishes == {"like": "exp1", "gpu": "1"}


def test_a_session_is_launched_again(say, client: Client) -> None:
    first = client.sessions.submit(
        "exp1", project="team-a", gpu=0.25, kind="train", command=["sleep", "9"], env={"A": "1"}
    )
    client.sessions.stop("exp1", wait=True)
    again = client.sessions.submit("exp2", like="exp1")
    assert msgspec.structs.replace(again.spec, name="exp1") == first.spec
    say("submit exp3 --like exp1 -g 1 -e B=2")
    spec = client.sessions.get("exp3").spec
    assert (spec.share.milli, spec.env, spec.command) == (
        1000,
        {"A": "1", "B": "2"},
        ("sleep", "9"),
    )
    assert client.sessions.request("exp1").gpu == "0.25"
    with pytest.raises(NotFound):
        say("submit exp4 --like nothing")
    with pytest.raises(InvalidFields, match="not both"):
        say("submit exp4 --like exp1 --template small")


def test_a_training_without_a_command_names_both_remedies(say, client: Client) -> None:
    with pytest.raises(InvalidFields) as caught:
        say("submit exp1 -p team-a -g 1")
    [problem] = caught.value.fields
    assert (problem.field, problem.message) == ("command", "A training needs a command.")
    assert "-- python train.py" in problem.hint
    assert "--interactive" in problem.hint
    client.templates.save("small", project="team-a", kind="train")
    with pytest.raises(InvalidFields, match="needs a command"):
        say("submit exp1 --template small")
    say("submit exp1 --template small -- sleep 600")


@pytest.mark.parametrize(
    ("fields", "share"),
    [
        ({}, "CPU only"),
        ({"gpu": "0.5"}, "0.5 GPU"),
        ({"gpu": 2}, "2 GPUs"),
        ({"gpu_memory": "8Gi", "gpu_compute": 30}, "8Gi, 30 % compute"),
        ({"mig_profile": "1g.10gb"}, "MIG 1g.10gb"),
    ],
)
def test_the_share_is_in_words(fields: dict[str, object], share: str) -> None:
    template = Template(name="small", request=TemplateFields(**fields))
    assert share in TemplateView(template).text
