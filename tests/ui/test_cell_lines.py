"""The line of `%%gpu`, and which session and kernel it means."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.errors import (
    InvalidFields,
    InvalidRequest,
    NotFound,
    Unsupported,
    WrongState,
)
from jupyter_gpuquota.kernels.cells.notebook import Notebook, this_notebook
from jupyter_gpuquota.ui.cellmagic.arguments import read_line
from jupyter_gpuquota.ui.cellmagic.target import running
from jupyter_gpuquota.ui.parser import HelpRequested


def test_a_line_names_a_session_and_variables():
    line = read_line("exp1 --in 'data, labels' --out model,model")
    assert (line.name, line.takes, line.gives) == ("exp1", ("data", "labels"), ("model",))
    assert not line.launches


def test_a_line_with_a_share_launches():
    line = read_line("-g 0.25 -p team-a")
    assert line.launches
    assert (line.request["gpu"], line.project) == ("0.25", "team-a")
    assert read_line("exp2 -g 0.5 --keep").launches
    assert read_line("exp2 --template small").launches
    assert not read_line("exp2 -v notes:/notes").launches
    assert read_line("-i py311").launches
    several = read_line("-g 1 --on lab,cloud --on-wait 2m")
    assert (several.request["on"], several.request["on_wait"]) == (["lab", "cloud"], "2m")
    assert read_line("exp2 --on lab,cloud").launches
    assert not read_line("").launches


@pytest.mark.parametrize("line", ["a b", "--inn x", "exp1 -g", "'"])
def test_what_is_no_line_is_refused(line):
    with pytest.raises(InvalidRequest):
        read_line(line)


def test_all_names_that_are_none_are_refused_at_once():
    with pytest.raises(InvalidFields) as caught:
        read_line("exp1 --in a.b,c,1d --out class")
    assert [each.field for each in caught.value.fields] == ["in", "in", "out"]


def test_help_has_examples():
    with pytest.raises(HelpRequested) as caught:
        read_line("--help")
    assert "%%gpu exp1 --in data,labels --out model" in caught.value.text


def test_scratch_sessions_are_told_apart_by_notebook_and_request():
    one = this_notebook({"JPY_SESSION_NAME": "/work/a.ipynb"})
    other = this_notebook({"JPY_SESSION_NAME": "/work/b.ipynb"})
    quarter, half = read_line("-g 0.25"), read_line("-g 0.5")
    names = {
        one.scratch(quarter.request),
        one.scratch(half.request),
        other.scratch(quarter.request),
    }
    assert len(names) == 3
    assert one.scratch(read_line("-g 0.25 --in x").request) == one.scratch(quarter.request)


@pytest.mark.parametrize(
    ("folder", "path"),
    [("{0}", "sub/a-{1}.gpu"), ("{0}/sub", "a-{1}.gpu"), ("/elsewhere", "a-{1}.gpu")],
)
def test_the_kernel_works_beside_the_notebook_where_the_session_sees_it(tmp_path, folder, path):
    (tmp_path / "sub").mkdir()
    notebook = this_notebook({"JPY_SESSION_NAME": str(tmp_path / "sub" / "a.ipynb")})
    assert notebook.path_in(folder.format(tmp_path)) == path.format("", notebook.key)


def test_a_program_without_a_notebook_has_a_kernel_of_its_own():
    notebook = this_notebook({})
    assert notebook == Notebook("", notebook.key)
    assert notebook.path_in("/work") == f"python-{notebook.key}.gpu"


HERE = this_notebook({"JPY_SESSION_NAME": "/work/a.ipynb"})


def session_of(client, console, line: str):
    return running(client, read_line(line), HERE, console)


def test_a_scratch_session_is_launched_once_and_ends_when_idle(client, console):
    made = session_of(client, console, "-g 0.25")
    assert made.spec.name == HERE.scratch(read_line("-g 0.25").request)
    assert (made.spec.kind, made.spec.share.milli) == ("interactive", 250)
    assert (made.spec.idle_timeout, made.spec.stop_when_idle) == (900, True)
    assert session_of(client, console, "-g 0.25").id == made.id
    assert session_of(client, console, "-g 0.5").id != made.id


def test_a_template_has_what_the_line_leaves_out(client, console):
    client.templates.save("small", gpu=0.25, env={"COLOUR": "blue"}, environment="")
    made = session_of(client, console, "--template small")
    assert made.spec.name.startswith(HERE.scratches)
    assert (made.spec.share.milli, made.spec.env) == (250, {"COLOUR": "blue"})
    assert made.spec.stop_when_idle
    named = session_of(client, console, "mine --template small -g 0.5").spec
    assert (named.name, named.share.milli, named.env) == ("mine", 500, {"COLOUR": "blue"})


def test_a_scratch_session_mounts_volumes(client, console):
    client.volumes.create("notes")
    made = session_of(client, console, "-g 0.25 -v notes:/work/notes")
    assert [(mount.volume, mount.path) for mount in made.spec.mounts] == [("notes", "/work/notes")]


def test_a_line_without_anything_means_the_session_of_the_last_cell(client, console):
    fresh = this_notebook({"JPY_SESSION_NAME": "/work/fresh.ipynb"})
    with pytest.raises(InvalidFields, match="No cell of this notebook"):
        running(client, read_line(""), fresh, console)
    made = running(client, read_line("-g 0.25"), fresh, console)
    client.sessions.submit("exp1", kind="interactive")
    assert running(client, read_line(""), fresh, console).id == made.id
    named = running(client, read_line("exp1"), fresh, console)
    assert running(client, read_line(""), fresh, console).id == named.id
    client.sessions.stop("exp1")
    client.sessions.delete("exp1")
    assert running(client, read_line(""), fresh, console).id == made.id


def test_a_scratch_session_that_ended_runs_again(client, console):
    made = session_of(client, console, "-g 0.25")
    for end in (client.sessions.stop, client.sessions.suspend):
        end(made.id)
        assert session_of(client, console, "-g 0.25").run > made.run


def test_a_session_to_keep_has_no_idle_time_of_its_own(client, console):
    kept = session_of(client, console, "-g 0.25 --keep").spec
    assert (kept.idle_timeout, kept.stop_when_idle) == (None, False)
    kept = session_of(client, console, "mine -g 0.5")
    assert (kept.spec.name, kept.spec.idle_timeout) == ("mine", None)


def test_a_policy_that_allows_no_such_time_holds(client, console):
    client.policy.set("everyone", idle_timeout="20m", idle_timeout_min="20m")
    assert session_of(client, console, "-g 0.25").spec.idle_timeout is None


def test_a_suspended_session_is_resumed_and_an_ended_one_is_not(client, console):
    client.sessions.submit("exp1", kind="interactive")
    client.sessions.suspend("exp1")
    assert session_of(client, console, "exp1").state == "running"
    client.sessions.stop("exp1")
    with pytest.raises(WrongState, match=r"%gpu resume exp1"):
        session_of(client, console, "exp1")


def test_a_session_without_kernels_is_refused(client, console):
    client.sessions.submit("job", kind="train", command=["sleep", "1"])
    with pytest.raises(Unsupported, match="--interactive"):
        session_of(client, console, "job")
    with pytest.raises(NotFound):
        session_of(client, console, "nothing")
