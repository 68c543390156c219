"""The launch of a session: pure, so every rule is one line here."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from jupyter_gpuquota.control.session_server.settings import SERVER_CONFIG, server_config
from jupyter_gpuquota.environ import SESSION
from jupyter_gpuquota.local.sessions.launch_spec import (
    LaunchContext,
    argv_of,
    env_of,
    of_controller,
    without_server,
)
from jupyter_gpuquota.model.resources import Placement, Slice
from tests.builders import make_placement, make_session, make_slice

TOKEN = secrets.token_hex()
CPU = Placement(node="n1")


def make_context(**fields: Any) -> LaunchContext:
    defaults: dict[str, Any] = {
        "runtime": "/state/s1/runtime",
        "workspaces": "/state/s1/workspaces",
        "state_dir": "/state",
        "token": TOKEN,
        "sockets": "/state/s1/runtime/sockets",
        "python": "/env/bin/python",
        "module": "jupyterlab",
        "inherited": {"PATH": "/usr/bin", "HOME": "/home/me"},
    }
    return LaunchContext(**{**defaults, **fields})


def real(*slices: Slice) -> Placement:
    return Placement(node="n1", slices=slices)


def env(
    placement: Placement = CPU, share: str = "", context: LaunchContext | None = None, **spec: Any
):
    return env_of(make_session("a", share, **spec), placement, context or make_context())


def test_a_jupyter_server_is_on_loopback_below_the_ingress_and_shows_no_secret():
    session = make_session("a", base_url="/user/me/")
    argv = argv_of(session.spec, session, make_context())
    assert argv[:2] == ("/env/bin/python", "-c")
    assert "run_module('jupyterlab'" in argv[2]
    assert "--ServerApp.ip=127.0.0.1" in argv
    assert "--ServerApp.base_url=/user/me/gpuquota/s/id-a/" in argv
    assert "--ServerApp.root_dir=/work" in argv
    assert not any(TOKEN in word for word in argv)


def test_a_command_is_run_as_it_is_with_its_arguments():
    session = make_session("a", command=("train.py", "a b"), args=("--lr", "1"))
    assert argv_of(session.spec, session, make_context()) == ("train.py", "a b", "--lr", "1")


def test_only_a_jupyter_server_gets_token_and_runtime_folder():
    assert env()["JUPYTER_TOKEN"] == TOKEN
    assert env()["JUPYTER_RUNTIME_DIR"] == "/state/s1/runtime"
    command = env(command=("true",))
    assert not {"JUPYTER_TOKEN", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_PATH"} & command.keys()


def test_the_token_stands_above_the_accounts_own_configuration():
    inherited = {"JUPYTER_CONFIG_PATH": "/a:/b"}
    assert env(context=make_context(inherited=inherited))["JUPYTER_CONFIG_PATH"] == (
        f"/state/s1/runtime/config:{SERVER_CONFIG}:/a:/b"
    )
    config = server_config(make_session("a"), TOKEN)
    assert config["IdentityProvider"] == {"token": TOKEN}


def test_a_jupyter_server_has_workspaces_of_its_own_unless_the_request_names_others():
    name = "JUPYTERLAB_WORKSPACES_DIR"
    of_account = make_context(inherited={name: "/home/me/workspaces"})
    assert env()[name] == env(context=of_account)[name] == "/state/s1/workspaces"
    assert env(env={name: "/mine"})[name] == "/mine"
    assert name not in env(command=("true",))
    config = server_config(make_session("exp-1"), TOKEN)
    assert config["LabApp"] == {"default_url": "/lab/workspaces/exp-1"}


def test_pages_of_a_jupyter_server_do_not_shut_it_down():
    config = server_config(make_session("a"), TOKEN)
    assert config["ServerApp"]["quit_button"] is False


def test_other_programs_see_nothing_of_the_server():
    inherited = {"JUPYTER_CONFIG_PATH": "/a"}
    assert "JUPYTER_TOKEN" not in without_server(env())
    assert "JUPYTER_CONFIG_PATH" not in without_server(env())
    own = without_server(env(context=make_context(inherited=inherited)))
    assert own["JUPYTER_CONFIG_PATH"] == "/a"


def test_programs_of_the_controller_do_not_end_with_the_session():
    marked = without_server(env())
    assert marked.pop(SESSION)
    assert of_controller(env()) == marked


@pytest.mark.parametrize(
    ("name", "handed_on"),
    [
        ("HF_TOKEN", True),
        ("LANG", True),
        ("JUPYTER_DATA_DIR", True),
        ("JUPYTER_CONFIG_DIR", True),
        ("JUPYTER_NO_CONFIG", True),
        ("JUPYTER_SERVER_ROOT", False),
        ("JUPYTER_PORT", False),
        ("JUPYTERHUB_API_TOKEN", False),
        ("JPY_SESSION_NAME", False),
        ("CUDA_MPS_PIPE_DIRECTORY", False),
        ("CONDA_DEFAULT_ENV", False),
        ("PYTHONHOME", False),
        ("MPLBACKEND", False),
    ],
)
def test_what_belongs_to_the_starter_is_not_handed_on(name, handed_on):
    found = env(context=make_context(inherited={name: "value"}), command=("true",))
    assert (found.get(name) == "value") == handed_on


def test_a_variable_that_is_no_text_is_left_out():
    assert "ODD" not in env(
        context=make_context(inherited={"ODD": b"\xff".decode(errors="surrogateescape")})
    )


def test_the_environment_is_active():
    found = env(context=make_context(active="VIRTUAL_ENV"))
    assert (found["VIRTUAL_ENV"], found["PATH"]) == ("/env", "/env/bin:/usr/bin")
    assert env(context=make_context(active="CONDA_PREFIX"))["CONDA_PREFIX"] == "/env"
    assert not {"VIRTUAL_ENV", "CONDA_PREFIX"} & env().keys()


def test_every_session_finds_its_controller_and_proves_who_it_is():
    forged = {"GPUQUOTA_SESSION_TOKEN_FILE": "forged", "GPUQUOTA_STATE_DIR": "/other"}
    for command in ((), ("true",)):
        found = env(env=forged, command=command)
        assert found["GPUQUOTA_SESSION_TOKEN_FILE"] == "/state/s1/runtime/token"  # noqa: S105
        assert found["GPUQUOTA_STATE_DIR"] == "/state"
        assert found["JUPYTER_GPUQUOTA_BACKEND"] == "local"


def test_the_request_goes_before_the_account_and_behind_the_share():
    asked = {"HOME": "/other", "GPUQUOTA_SESSION": "forged", "JUPYTER_TOKEN": "forged"}
    found = env(env=asked)
    assert (found["HOME"], found["GPUQUOTA_SESSION"]) == ("/other", "id-a")
    assert found["JUPYTER_TOKEN"] == TOKEN


@pytest.mark.parametrize(
    ("placement", "visible"),
    [
        (CPU, ""),
        (make_placement(make_slice(0, 500)), ""),
        (real(make_slice(0, uuid="GPU-a"), make_slice(1, uuid="GPU-b")), "GPU-a,GPU-b"),
        (real(make_slice(0, 143, uuid="MIG-x", mig="1g.5gb")), "MIG-x"),
    ],
)
def test_only_the_sessions_own_real_devices_are_visible(placement, visible):
    found = env(placement)
    assert found["CUDA_VISIBLE_DEVICES"] == visible
    assert found["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"


def test_a_simulated_share_is_said_and_not_pretended():
    found = env(make_placement(make_slice(0, 500)), "0.5", make_context(mps="/mps"))
    assert found["GPUQUOTA_SIMULATED"] == "1"
    assert found["GPUQUOTA_SHARE"] == "0.5 GPU"
    assert (found["GPUQUOTA_GPUS_MILLI"], found["GPUQUOTA_MEMORY_MIB"]) == ("500", "16384")
    assert "CUDA_MPS_PIPE_DIRECTORY" not in found


@pytest.mark.parametrize(
    ("share", "milli", "percentage"),
    [("0.5", 500, "50"), ("0.25", 250, "25"), ("0.01", 10, "1")],
)
def test_mps_limits_follow_the_share(share, milli, percentage):
    placement = real(make_slice(0, milli, uuid="GPU-a"))
    found = env(placement, share, make_context(mps="/mps"))
    assert found["CUDA_MPS_PIPE_DIRECTORY"] == "/mps"
    assert found["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == percentage
    assert found["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] == f"0={32768 * milli // 1000}M"


def test_an_asked_compute_share_is_the_limit():
    placement = real(make_slice(0, 500, uuid="GPU-a", compute=30))
    found = env(placement, "0.5", make_context(mps="/mps"), gpu_compute="30")
    assert found["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == "30"


def test_whole_devices_have_no_limit():
    found = env(real(make_slice(0, uuid="GPU-a")), "1", make_context(mps="/mps"))
    assert not any(name.startswith("CUDA_MPS") for name in found)
