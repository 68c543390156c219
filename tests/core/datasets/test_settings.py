"""Lakes and rules for cached versions: checked at once, and what a change of them does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from jupyter_gpuquota.core.datasets.settings import check_data, effect, rules_for
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.datasets.caches import CachedVersion, Lease
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.settings import (
    CacheRulesRequest,
    CacheSettings,
    DataSettings,
    DataSettingsRequest,
    LakeRequest,
    request_of,
)
from tests.builders import NOW
from tests.data_fakes import V1, V2, make_dataset

PROJECTS = ["team-a", "team-b"]
DAY = 86_400


def lake(name: str = "main", url: str = "s3://bucket/data", **fields: Any) -> LakeRequest:
    return LakeRequest(name=name, url=url, **fields)


def problems(*lakes: LakeRequest, **cache: Any) -> dict[str, str]:
    request = DataSettingsRequest(lakes=lakes, cache=CacheRulesRequest(**cache))
    with pytest.raises(InvalidFields) as caught:
        check_data(request, PROJECTS)
    return {error.field: error.message for error in caught.value.fields}


def test_without_anything_set_unused_versions_stay_a_day() -> None:
    settings = check_data(DataSettingsRequest(), PROJECTS)
    assert settings == DataSettings(revision="")
    rules = rules_for(settings.cache, "faces", "team-a")
    assert (rules.unused, rules.high_water) == (timedelta(days=1), 0.9)


def test_the_default_lake_comes_first() -> None:
    asked = DataSettingsRequest(lakes=(lake("a"), lake("b", "gs://b"), lake("c", "file:///c")))
    assert [(each.name, each.default) for each in check_data(asked, PROJECTS).lakes] == [
        ("a", True),
        ("b", False),
        ("c", False),
    ]
    asked = DataSettingsRequest(lakes=(lake("a"), lake("b", "az://b/x", default=True)))
    assert [(each.name, each.default) for each in check_data(asked, PROJECTS).lakes] == [
        ("b", True),
        ("a", False),
    ]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    found = problems(
        lake("Main"),
        lake("b", "ftp://b", projects=("team-a", "team-x", "team-a")),
        lake("b", "file://relative", credentials="AWS_SECRET=1", default=True),
        lake("c", default=True),
        unused="soon",
        high_water=1.5,
        projects={"team-x": "1d", "team-a": "?"},
        datasets={"Bad!": "1d"},
    )
    assert found == {
        "lakes[0].name": found["lakes[0].name"],
        "lakes[1].url": "'ftp://b' is not the URL of a lake.",
        "lakes[1].projects[1]": "Unknown project: 'team-x'.",
        "lakes[1].projects[2]": "team-a is listed twice.",
        "lakes[2].name": "b is listed twice.",
        "lakes[2].url": "'file://relative' is not the URL of a lake.",
        "lakes[2].credentials": "Not the path of a file or the name of a Secret.",
        "lakes[3].default": "b is the default already.",
        "cache.unused": "Not a duration.",
        "cache.high_water": "Must be a share of the capacity, from 0.1 to 1.",
        "cache.projects.team-x": "Unknown project: 'team-x'.",
        "cache.projects.team-a": "Not a duration.",
        "cache.datasets.Bad!": found["cache.datasets.Bad!"],
    }


@pytest.mark.parametrize(
    "url",
    [
        "s3://key:geheim@bucket",
        "s3://geheim@bucket",
        "https://x.blob/y?sig=geheim",
        "s3://bucket?token=geheim",
        "s3://bucket#geheim",
    ],
)
def test_credentials_in_a_url_are_refused_and_not_repeated(url: str) -> None:
    [text] = problems(lake(url=url)).values()
    assert text == "The URL must contain no credentials or other parameters."


@pytest.mark.parametrize("url", ["", "bucket", "s3://", "file:///", "s3:/bucket", "http://[::1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    if url == "file:///":
        check_data(DataSettingsRequest(lakes=(lake(url=url),)), PROJECTS)
    else:
        assert list(problems(lake(url=url))) == ["lakes[0].url"]


@pytest.mark.parametrize("credentials", ["", "lake-keys", "/etc/gpuquota/lake.env"])
def test_credentials_are_a_file_or_a_secret(credentials: str) -> None:
    check_data(DataSettingsRequest(lakes=(lake(credentials=credentials),)), PROJECTS)


def test_a_dataset_comes_before_its_project() -> None:
    settings = check_data(
        DataSettingsRequest(
            cache=CacheRulesRequest(
                unused="2d", projects={"team-a": "7d"}, datasets={"faces": "0", "cats": "1h"}
            )
        ),
        PROJECTS,
    ).cache
    assert rules_for(settings, "faces", "team-a").unused is None
    assert rules_for(settings, "cats", "team-b").unused == timedelta(hours=1)
    assert rules_for(settings, "dogs", "team-a").unused == timedelta(days=7)
    assert rules_for(settings, "dogs", "team-b").unused == timedelta(days=2)


def test_settings_become_the_request_that_makes_them() -> None:
    settings = DataSettings(
        lakes=(
            Lake(name="a", url="s3://a", credentials="/keys", projects=("team-a",), default=True),
            Lake(name="b", url="file:///b"),
        ),
        cache=CacheSettings(
            unused=90, high_water=0.5, projects={"team-a": 0}, datasets={"faces": DAY}
        ),
        revision="7",
    )
    assert check_data(request_of(settings), PROJECTS) == settings


def cached(version: str, *leases: Lease) -> CachedVersion:
    return CachedVersion(
        dataset="faces",
        version=version,
        state="cached",
        size=2_000_000_000,
        files=1,
        used=NOW - timedelta(hours=5),
        leases=leases,
    )


def test_a_change_says_what_would_go() -> None:
    lease = Lease(session="s1", name="exp-1", since=NOW)
    copies = [cached(V1), cached(V2, lease)]
    same = effect(DataSettings(), [make_dataset()], copies, 10**12, NOW)
    assert (same.message, same.evicted) == ("No cached version would go now.", ())
    settings = DataSettings(
        lakes=(Lake(name="other", url="s3://other"),), cache=CacheSettings(unused=3600)
    )
    own = make_dataset("mine", lake="s3://mine", own_lake=True)
    found = effect(settings, [make_dataset(), own], copies, 10**12, NOW)
    assert found.evicted == ("faces@111111111111",)
    assert found.orphaned == ("faces",)
    assert found.message == (
        "Not in a lake any more: faces. 1 cached version would go now (1.9 GiB)."
    )
