"""Options of containers, from the words of a command to what is shown of a session."""

from __future__ import annotations

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.pods import PodOptions, SecretKey, Toleration
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.ui.conftest import Notes

LINE = (
    "submit exp1 --interactive --cpu 500m --cpu-limit 2 --memory 8Gi --memory-limit 16Gi "
    "--large-shm -v data:/data:ro --volume home:/work --secret-env KEY=keys/api "
    "--toleration gpu --toleration team=a:NoExecute --pull-secret registry "
    "--image-pull-policy Always --service-account reader --run-as-user 1000:100"
)
MEANT = PodOptions(
    cpu=500,
    cpu_limit=2000,
    memory=8192,
    memory_limit=16_384,
    large_shm=True,
    tolerations=(Toleration(key="gpu"), Toleration(key="team", value="a", effect="NoExecute")),
    pull_secrets=("registry",),
    pull_policy="Always",
    service_account="reader",
    run_as_user=1000,
    run_as_group=100,
    secret_env={"KEY": SecretKey(secret="keys", key="api")},  # noqa: S106 (a name)
)
VOLUMES = (
    Mount(volume="data", path="/data", read_only=True),
    Mount(volume="home", path="/work"),
)
SHOWN = {
    "CPUs": "0.5, at most 2",
    "memory": "8 GiB, at most 16 GiB",
    "shared memory": "large",
    "volumes": "data at /data (read-only), home at /work",
    "secrets": "KEY from keys/api",
    "tolerations": "gpu, team=a:NoExecute",
    "pull secrets": "registry",
    "pull policy": "Always",
    "service account": "reader",
    "runs as": "1000:100",
}


def make_volumes(client: Client) -> None:
    """Make the volumes that are mounted."""
    for mount in VOLUMES:
        client.volumes.create(mount.volume)


@pytest.mark.parametrize("terminal", [False, True])
def test_every_option_has_a_flag_and_is_shown(client: Client, *, terminal: bool) -> None:
    make_volumes(client)
    run(client, parse(split_line(LINE), terminal=terminal), Notes(shell=terminal))
    assert client.sessions.get("exp1").spec.pod == MEANT
    assert client.sessions.get("exp1").spec.volumes == VOLUMES
    text = run(client, parse(["describe", "exp1"], terminal=terminal), Notes()).text
    shown = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    assert {name: shown.get(name, "").strip() for name in SHOWN} == SHOWN


def test_programs_use_the_names_of_the_request(client: Client) -> None:
    make_volumes(client)
    session = client.sessions.submit(
        "exp1", cpu=0.5, memory="1Gi", volumes="data:/data", run_as=1000, secret_env={"A": "s/k"}
    )
    assert session.spec.pod == PodOptions(
        cpu=500,
        memory=1024,
        run_as_user=1000,
        secret_env={"A": SecretKey(secret="s", key="k")},  # noqa: S106 (a name)
    )
    assert session.spec.volumes == (Mount(volume="data", path="/data"),)


def test_mistakes_of_words_and_of_values_are_told_together(client: Client) -> None:
    line = "submit exp1 --interactive --secret-env KEY --cpu many -v data"
    with pytest.raises(InvalidFields) as caught:
        run(client, parse(split_line(line), terminal=True), Notes())
    assert {problem.field for problem in caught.value.fields} == {
        "secret_env.KEY",
        "cpu",
        "volumes[0]",
    }


def test_a_variable_from_a_secret_is_given_once(client: Client) -> None:
    line = "submit exp1 --interactive --secret-env A=s/k --secret-env A=s/l"
    with pytest.raises(InvalidFields, match="Given twice"):
        run(client, parse(split_line(line), terminal=True), Notes())
