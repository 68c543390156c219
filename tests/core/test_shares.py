"""What users type as a share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.fields import FieldReader
from jupyter_gpuquota.core.requests.shares import parse_mig, parse_quota, read_share
from jupyter_gpuquota.errors import FieldError
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import SessionRequest


def parse_share(request: SessionRequest) -> tuple[Share, list[FieldError]]:
    reader = FieldReader()
    return read_share(request, reader), reader.errors


GOOD = [
    ({}, Share(), "CPU only"),
    ({"gpu": "0.5"}, Share(milli=500), "0.5 GPU"),
    ({"gpu": 0.1}, Share(milli=100), "0.1 GPU"),
    ({"gpu": 0.29}, Share(milli=290), "0.29 GPU"),
    ({"gpu": 1.0}, Share(milli=1000), "1 GPU"),
    ({"gpu": "2"}, Share(milli=2000), "2 GPUs"),
    ({"gpu": " 0.25 "}, Share(milli=250), "0.25 GPU"),
    ({"gpu": 1.5}, Share(milli=1500), "1.5 GPUs (0.75 of each of 2)"),
    ({"gpu": "2.52"}, Share(milli=2520), "2.52 GPUs (0.84 of each of 3)"),
    ({"gpu_memory": 8192}, Share(memory=8192), "8 GiB"),
    ({"gpu_memory": "8Gi"}, Share(memory=8192), "8 GiB"),
    ({"gpu_memory": "8 GiB"}, Share(memory=8192), "8 GiB"),
    ({"gpu_memory": "8G"}, Share(memory=7630), "7630 MiB"),
    ({"gpu_memory": "1.5Gi"}, Share(memory=1536), "1536 MiB"),
    ({"gpu": "0.5", "gpu_compute": "30"}, Share(milli=500, compute=30), "0.5 GPU, 30 % compute"),
    ({"gpu_memory": "2Gi", "gpu_compute": "30 %"}, Share(memory=2048, compute=30), None),
    ({"mig_profile": "1G.10GB"}, Share(mig="1g.10gb"), "MIG 1g.10gb"),
    ({"mig_profile": "1c.3g.40gb"}, Share(mig="1c.3g.40gb"), "MIG 1c.3g.40gb"),
    ({"mig_profile": "1g.5gb+me"}, Share(mig="1g.5gb+me"), "MIG 1g.5gb+me"),
    ({"mig_profile": "1g.5gb.me"}, Share(mig="1g.5gb+me"), None),
    ({"mig_profile": "nvidia.com/mig-1g.10gb.me"}, Share(mig="1g.10gb+me"), None),
    ({"mig_profile": "nvidia.com/mig-1c.3g.40gb"}, Share(mig="1c.3g.40gb"), None),
    ({"mig_profile": "mig-7g.141gb"}, Share(mig="7g.141gb"), None),
    ({"mig_profile": "MIG 2c.4g.40gb"}, Share(mig="2c.4g.40gb"), None),
    ({"mig_profile": "1g.24gb+me.all"}, Share(mig="1g.24gb+me.all"), None),
    ({"mig_profile": "1g.24gb.me.all"}, Share(mig="1g.24gb+me.all"), None),
    ({"mig_profile": "1g.24gb-me"}, Share(mig="1g.24gb-me"), None),
    ({"mig_profile": "4g.96gb+gfx"}, Share(mig="4g.96gb+gfx"), None),
]


@given(
    st.from_regex(r"([1-7]c\.)?[1-7]g\.[1-9][0-9]{0,2}gb([+-](me|gfx)(\.all)?)?", fullmatch=True)
)
def test_every_profile_that_a_driver_lists_can_be_asked_for(name: str) -> None:
    # As in local/gpus/nvml.py and, with a dot for the plus sign, as resources of Kubernetes.
    assert parse_mig(name) == name
    assert parse_mig(f"MIG {name}") == name
    assert parse_mig(f"nvidia.com/mig-{name.replace('+', '.')}") == name


@pytest.mark.parametrize(("fields", "share", "text"), GOOD)
def test_a_share_is_read(fields: dict[str, object], share: Share, text: str | None) -> None:
    read, errors = parse_share(SessionRequest(name="x", **fields))
    assert (read, errors) == (share, [])
    assert text is None or read.text == text


BAD = [
    ({"gpu": "0"}, "gpu", "above 0"),
    ({"gpu": 0}, "gpu", "above 0"),
    ({"gpu": "-1"}, "gpu", "above 0"),
    ({"gpu": "NaN"}, "gpu", "not a number"),
    ({"gpu": float("nan")}, "gpu", "not a number"),
    ({"gpu": "inf"}, "gpu", "not a number"),
    ({"gpu": "½"}, "gpu", "not written as a number"),
    ({"gpu": "1e-1"}, "gpu", "not a number"),
    ({"gpu": "0,5"}, "gpu", "not a number"),
    ({"gpu": "0.0001"}, "gpu", "Finer"),
    ({"gpu": "1.0001"}, "gpu", "Finer"),
    ({"gpu": "٣"}, "gpu", "not a number"),
    ({"gpu_memory": "0"}, "gpu_memory", "at least 1 MiB"),
    ({"gpu_memory": "-8Gi"}, "gpu_memory", "not an amount"),
    ({"gpu_memory": "8 apples"}, "gpu_memory", "not an amount"),
    ({"gpu": "0.5", "gpu_compute": "33"}, "gpu_compute", "5, 10"),
    ({"gpu": "0.5", "gpu_compute": "0"}, "gpu_compute", "5, 10"),
    ({"gpu": "0.5", "gpu_compute": "9" * 400}, "gpu_compute", "5, 10"),
    ({"gpu": "0.5", "gpu_compute": "9" * 5000}, "gpu_compute", "5, 10"),
    ({"gpu": "0.5", "gpu_compute": "105"}, "gpu_compute", "5, 10"),
    ({"gpu_compute": "30"}, "gpu_compute", "fraction of a GPU, or memory"),
    ({"gpu": "2", "gpu_compute": "30"}, "gpu_compute", "fraction of a GPU, or memory"),
    ({"gpu": "1.5", "gpu_compute": "30"}, "gpu_compute", "fraction of a GPU, or memory"),
    ({"gpu": "0.5", "gpu_memory": "8Gi"}, "gpu_memory", "cannot be combined"),
    ({"mig_profile": "big"}, "mig_profile", "not a MIG profile"),
    ({"mig_profile": "1g"}, "mig_profile", "not a MIG profile"),
    ({"mig_profile": "3g.40gb+"}, "mig_profile", "not a MIG profile"),
    ({"mig_profile": "c.3g.40gb"}, "mig_profile", "not a MIG profile"),
]


@pytest.mark.parametrize(("fields", "field", "part"), BAD)
def test_a_bad_share_is_refused_at_its_field(
    fields: dict[str, object], field: str, part: str
) -> None:
    _, errors = parse_share(SessionRequest(name="x", **fields))
    assert [error.field for error in errors] == [field]
    assert part in errors[0].message


def test_all_broken_fields_are_reported_at_once() -> None:
    request = SessionRequest(name="x", gpu="-1", gpu_memory="x", gpu_compute="33", mig_profile="y")
    _, errors = parse_share(request)
    assert [error.field for error in errors] == ["gpu", "gpu_memory", "gpu_compute", "mig_profile"]


@given(st.text(max_size=20) | st.integers() | st.floats())
def test_any_input_is_a_share_or_an_error(value: str | float) -> None:
    for field in ("gpu", "gpu_memory", "gpu_compute"):
        share, errors = parse_share(SessionRequest(name="x", **{field: value}))
        assert errors or share.milli >= 0


@given(st.integers(1, 100))
def test_hundredths_are_exact(hundredths: int) -> None:
    share, _ = parse_share(SessionRequest(name="x", gpu=hundredths / 100))
    assert share.milli == hundredths * 10


@pytest.mark.parametrize(
    ("milli", "count", "portion", "devices"),
    [
        (0, 1, 0, 0),
        (1, 1, 1, 0),
        (999, 1, 999, 0),
        (1000, 1, 1000, 1),
        (1001, 2, 501, 0),
        (1500, 2, 750, 0),
        (2000, 2, 1000, 2),
        (2500, 3, 834, 0),
    ],
)
def test_an_amount_is_equal_parts_of_the_fewest_gpus(
    milli: int, count: int, portion: int, devices: int
) -> None:
    share = Share(milli=milli)
    assert (share.count, share.portion, share.devices) == (count, portion, devices)
    assert share.divided == (count > 1 and not devices)


@pytest.mark.parametrize(("text", "milli"), [("4", 4000), ("2.5", 2500), ("0", 0)])
def test_a_quota_is_read(text: str, milli: int) -> None:
    assert parse_quota(text) == milli


@pytest.mark.parametrize("text", ["-1", "NaN", "1.0001", "", "four"])
def test_a_bad_quota_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|decimals"):
        parse_quota(text)
