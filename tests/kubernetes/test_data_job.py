"""The Job that works on cached datasets, as a whole: `expected/data_job.yaml`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.kubernetes.builders.helper_pod import (
    DataJob,
    DataJobSettings,
    data_job,
    name_of,
)
from jupyter_gpuquota.model.pods import Toleration
from tests.kubernetes.test_builders import expected

SETTINGS = DataJobSettings(
    image="ghcr.io/team/gpuquota:1",
    pull_secrets=("registry",),
    tolerations=(Toleration(key="storage", effect="NoSchedule"),),
    env={"HTTPS_PROXY": "http://proxy:3128"},
    labels={"kueue.x-k8s.io/queue-name": "data"},
)
FETCH = DataJob(
    id="4f1c",
    verb="cache",
    namespace="team-a",
    claim="datasets",
    arguments=("mnist", "--lake", "s3://lake/$(team)", "--report", "lines"),
    secret="lake-keys",  # noqa: S106 (a name)
)


def test_a_fetch_is_a_job_that_mounts_the_claim() -> None:
    assert data_job(FETCH, SETTINGS, '{"user": "ana"}') == expected("data_job")


def test_without_a_secret_none_is_named() -> None:
    made = data_job(
        DataJob("1", "index", "team-a", "datasets", ()), DataJobSettings(image="i:1"), "{}"
    )
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert "envFrom" not in container
    assert "imagePullSecrets" not in made["spec"]["template"]["spec"]


@given(st.text(min_size=1, max_size=80))
def test_every_id_gives_a_valid_name_of_its_own(text: str) -> None:
    name = name_of(DataJob(text, "verify", "team-a", "datasets", ()))
    assert len(name) <= 63
    assert name == name.lower()
    assert name != name_of(DataJob(f"{text}x", "verify", "team-a", "datasets", ()))
