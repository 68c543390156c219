"""What is written of settings is read back as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import hypothesis
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from jupyter_gpuquota.control.settings.quota_file import Present, read
from jupyter_gpuquota.control.settings.quota_text import text_of
from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.core.idle.policy import BUILT_IN
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.settings import CacheSettings, DataSettings
from jupyter_gpuquota.model.policy import Exemption, Policy, PolicyLevel, PolicyRules
from jupyter_gpuquota.model.projects import Groups, NodeGroup
from jupyter_gpuquota.model.quota import Affinity, Project, Rules
from jupyter_gpuquota.model.templates import Template, TemplateFields
from jupyter_gpuquota.model.volumes.volumes import SharedFolder
from tests.builders import make_node

NODE = make_node()
PEOPLE = st.lists(
    st.text(min_size=1, max_size=4).filter(lambda name: name.strip() not in {"", "group:"}),
    max_size=2,
    unique=True,
).map(tuple)
NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
QUOTA = st.integers(2000, 10_000_000)  # at least what the templates request
SPAN = st.integers(0, 10_000_000)
ON = st.sampled_from([(), ("big",)])


def projects(name: str) -> st.SearchStrategy[Project]:
    return st.builds(
        Project,
        name=st.just(name),
        quota=QUOTA,
        weight=st.none() | QUOTA,
        limit=st.none() | QUOTA,
        priority=st.integers(0, 1000),
        members=PEOPLE,
        leads=PEOPLE,
        viewers=PEOPLE,
        node_affinity=st.builds(Affinity, interactive=ON, train=ON),
        interactive_duration=SPAN,
        min_runtime=SPAN,
    )


@st.composite
def settings(draw: st.DrawFn) -> Settings:
    names = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    spans = st.dictionaries(st.sampled_from(names), SPAN)
    words = st.text(
        alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=8
    )
    reasons = words.map(str.strip).filter(bool)
    lakes = [
        Lake(name=name, url=f"s3://{name}-lake", projects=(name,), default=i == 0)
        for i, name in enumerate(names)
    ]
    rules = PolicyRules(
        idle_timeout=draw(st.none() | st.integers(3600, 9_999_999)),
        warn_before=draw(st.none() | st.integers(0, 600)),
    )
    size = draw(st.integers(0, 99)) << 20
    exemption = Exemption(
        who=f"project:{names[0]}", until=datetime(2027, 1, 1, tzinfo=UTC), reason=draw(reasons)
    )
    return Settings(
        projects=tuple(draw(projects(name)) for name in names),
        groups=Groups(items=(NodeGroup(name="big", nodes=(NODE.name,), separate=draw(BOOL)),)),
        rules=draw(st.builds(Rules, grace=SPAN, min_runtime=SPAN, consolidate=BOOL)),
        policy=Policy(
            levels=(PolicyLevel(level=f"project:{names[0]}", rules=rules),),
            exemptions=(exemption,) * draw(st.integers(0, 1)),
            built_in=BUILT_IN,
        ),
        data=DataSettings(
            lakes=tuple(lakes),
            cache=CacheSettings(
                unused=draw(SPAN),
                high_water=draw(st.integers(100, 1000)) / 1000,
                projects=draw(spans),
                datasets=draw(spans),
            ),
        ),
        volumes=tuple(
            SharedFolder(name=name, folder="/data", projects=(names[0],), size=size)
            for name in names
        ),
        templates=tuple(
            Template(name=name, scope="admin", request=TemplateFields(**draw(REQUESTS)))
            for name in names
        ),
        source="file",
    )


BOOL = st.booleans()
REQUESTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"gpu": st.sampled_from(["0.5", "2"]), "env": st.dictionaries(st.just("A"), st.text("ab0:"))}
)


@hypothesis.settings(max_examples=hypothesis.settings().max_examples // 4)  # whole files
@given(settings())
def test_what_is_written_is_read_back(wanted: Settings) -> None:
    text = text_of(wanted).text
    found = read(text.encode(), Present((NODE,)))
    assert text_of(found).text == text
    assert replace(found, templates=()) == replace(wanted, templates=())
    owned = read(
        text_of(replace(wanted, source="engine")).text.encode(), Present((NODE,), wanted.projects)
    )
    assert owned == found
