"""Checks of policy requests: every error is reported, with its field."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.core.idle.policy import BUILT_IN
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.policy import (
    RULES,
    Policy,
    PolicyLevelRequest,
    PolicyRequest,
    PolicyRulesRequest,
    request_of,
)

EXEMPTION = {"who": "user:ana", "until": "2026-03-01T18:00Z", "reason": "A demo."}


def check(*levels: tuple[str, dict[str, Any]], every: int = 30, **more: Any) -> Policy:
    made = [{"level": level, "rules": rules} for level, rules in levels]
    request = msgspec.convert({"levels": made, **more}, PolicyRequest)
    return check_policy(request, ["team-a", "team-b"], every)


def wrong(*levels: tuple[str, dict[str, Any]], **more: Any) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        check(*levels, **more)
    return {field.field: field.message for field in caught.value.fields}


def test_a_good_policy_is_taken_with_its_levels_from_weak_to_strong() -> None:
    found = check(
        ("kind:train", {"action": "notify"}),
        ("project:team-b", {"idle_timeout": 3600}),
        ("project:team-a", {"cpu_busy": "10%", "keep_alives": "0"}),
        ("everyone", {"idle_timeout": "2h"}),
        exemptions=[EXEMPTION],
        revision="7",
    )
    names = ["everyone", "project:team-a", "project:team-b", "kind:train"]
    assert [level.level for level in found.levels] == names
    everyone, first = found.levels[:2]
    assert (everyone.rules.idle_timeout, first.rules.cpu_busy) == (7200, 10)
    assert first.rules.keep_alives == 0
    assert found.exemptions[0].until == datetime(2026, 3, 1, 18, tzinfo=UTC)
    assert (found.revision, found.built_in) == ("7", BUILT_IN)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ("", "Choose everyone, a project or a kind."),
        ("all", "'all' is not a level."),
        ("project:", "'project:' is not a level."),
        ("session:x", "'session:x' is not a level."),
        ("built-in", "'built-in' is not a level."),
        ("project:team-z", "Unknown project: 'team-z'."),
        ("kind:batch", "Unknown kind: 'batch'."),
    ],
)
def test_a_level_that_is_none_is_refused(level: str, said: str) -> None:
    assert wrong((level, {})) == {"levels[0].level": said}


def test_a_level_stands_there_once() -> None:
    assert list(wrong(("everyone", {}), ("everyone", {}))) == ["levels[1].level"]


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("idle_timeout", "soon"),
        ("idle_timeout", -1),
        ("idle_timeout", "1h30"),
        ("idle_timeout", "400d"),
        ("idle_timeout", "59s"),
        ("idle_timeout_min", "30s"),
        ("gpu_idle_timeout", 1),
        ("warn_before", ""),
        ("grace", "two"),
        ("interactive_life", "9999d"),
        ("keep_alive", "1h 2"),
        ("keep_alives", "three"),
        ("keep_alives", 1001),
        ("keep_alives", 1.5),
        ("cpu_busy", -5),
        ("io_busy", "1 kB"),
        ("gpu_busy", 101),
        ("gpu_busy", "²"),
        ("action", "kill"),
        ("action", ""),
        ("gpu_idle_action", "Suspend"),
    ],
)
def test_a_value_that_is_none_is_refused(rule: str, value: object) -> None:
    assert list(wrong(("everyone", {rule: value}))) == [f"levels[0].rules.{rule}"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("who", "ana"),
        ("who", "user:"),
        ("who", "kind:train"),
        ("until", "tomorrow"),
        ("until", "2026-03-01"),
        ("until", ""),
        ("reason", "  "),
    ],
)
def test_an_exemption_that_is_none_is_refused(field: str, value: str) -> None:
    exemptions = [EXEMPTION, {**EXEMPTION, field: value}]
    assert list(wrong(exemptions=exemptions)) == [f"exemptions[1].{field}"]


@pytest.mark.parametrize(
    ("levels", "field"),
    [
        (
            [("everyone", {"idle_timeout": "5m", "warn_before": "10m"})],
            "levels[0].rules.idle_timeout",
        ),
        (
            [
                ("everyone", {"warn_before": "10m"}),
                ("project:team-a", {"gpu_idle_timeout": "5m", "gpu_idle_action": "stop"}),
            ],
            "levels[1].rules.gpu_idle_timeout",
        ),
        (
            [("everyone", {"idle_timeout_min": "2h", "idle_timeout_max": "1h"})],
            "levels[0].rules.idle_timeout_max",
        ),
        (
            [("everyone", {"warn_before": "20m"}), ("project:team-a", {"keep_alive": "10m"})],
            "levels[1].rules.keep_alive",
        ),
        (
            [("everyone", {"idle_timeout": "1h"}), ("project:team-a", {"warn_before": "2h"})],
            "levels[0].rules.idle_timeout",
        ),
        (
            [
                ("everyone", {"warn_before": "2h"}),
                ("project:team-a", {"idle_timeout": "3h"}),
                ("kind:train", {"idle_timeout": "1h"}),
            ],
            "levels[2].rules.idle_timeout",
        ),
    ],
)
def test_rules_that_cannot_work_together_are_refused(
    levels: list[tuple[str, dict[str, Any]]], field: str
) -> None:
    assert list(wrong(*levels)) == [field]


def test_a_notice_needs_no_warning_before() -> None:
    check(("everyone", {"idle_timeout": "5m", "action": "notify", "warn_before": "10m"}))
    check(("everyone", {"gpu_idle_timeout": "5m", "warn_before": "10m"}))


def test_what_nobody_has_set_is_in_nobodys_way() -> None:
    check(("everyone", {"idle_timeout": "1m", "keep_alive": "1m"}))
    check(("everyone", {"gpu_idle_timeout": "5m", "gpu_idle_action": "stop"}))


@pytest.mark.parametrize(("every", "least"), [(3, 6), (30, 60), (600, 1200)])
def test_a_timeout_is_no_shorter_than_two_looks(every: int, least: int) -> None:
    check(("everyone", {"idle_timeout": least, "warn_before": 0}), every=every)
    rules = {"idle_timeout": least - 1, "warn_before": 0}
    assert list(wrong(("everyone", rules), every=every)) == ["levels[0].rules.idle_timeout"]


def test_all_mistakes_are_said_at_once() -> None:
    found = wrong(
        (
            "everyone",
            {
                "idle_timeout_min": "5h",
                "idle_timeout_max": "2h",
                "gpu_idle_timeout": "5m",
                "gpu_idle_action": "stop",
                "warn_before": "10m",
                "action": "kill",
            },
        ),
        ("project:team-z", {"grace": -1, "idle_timeout": "5m"}),
        exemptions=[{"who": "ana", "until": "", "reason": ""}],
    )
    assert set(found) == {
        "levels[0].rules.idle_timeout_max",
        "levels[0].rules.gpu_idle_timeout",
        "levels[0].rules.action",
        "levels[1].level",
        "levels[1].rules.grace",
        "levels[1].rules.idle_timeout",
        "exemptions[0].who",
        "exemptions[0].until",
        "exemptions[0].reason",
    }


def test_a_policy_asks_for_itself() -> None:
    made = check(
        ("everyone", {"idle_timeout": "2h"}),
        ("kind:train", {"action": "notify"}),
        exemptions=[EXEMPTION],
        revision="3",
    )
    assert check_policy(request_of(made), []) == made


values = st.one_of(
    st.none(), st.text(max_size=12), st.integers(), st.floats(), st.sampled_from(["2h", "10m", "0"])
)
texts = st.one_of(st.text(max_size=12), st.sampled_from(["2026-03-01T18:00Z", "user:ana"]))
requests = st.builds(
    PolicyRequest,
    levels=st.lists(
        st.builds(
            PolicyLevelRequest,
            level=st.one_of(st.sampled_from(["everyone", "project:team-a", "kind:train"]), texts),
            rules=st.dictionaries(st.sampled_from(RULES), values).map(
                lambda rules: PolicyRulesRequest(**rules)
            ),
        ),
        max_size=3,
    ).map(tuple),
)


@given(requests)
@example(PolicyRequest(levels=(PolicyLevelRequest(level="everyone\n"),)))
def test_whatever_is_asked_is_refused_or_taken_as_it_is_shown(request_: PolicyRequest) -> None:
    with suppress(InvalidFields):
        made = check_policy(request_, ["team-a"])
        assert check_policy(request_of(made), ["team-a"]) == made


@given(texts, texts, texts)
def test_whatever_exemption_is_asked_it_is_taken_or_refused(
    who: str, until: str, reason: str
) -> None:
    with suppress(InvalidFields):
        check(exemptions=[{"who": who, "until": until, "reason": reason}])


def test_a_number_with_too_many_digits_is_refused_with_a_message() -> None:
    for digits in (400, 5000):
        found = wrong(("everyone", {"cpu_busy": "9" * digits}))
        assert "is not a whole number from 0 to 100000." in found["levels[0].rules.cpu_busy"]
