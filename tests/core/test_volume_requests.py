"""Volumes of a request: what is read, and which conflicts are found, whatever is written."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.core.fields import NAME_LIMIT, FieldReader
from jupyter_gpuquota.core.requests.mounts import (
    VolumeFacts,
    is_reserved,
    mount_text,
    new_name,
    parse_mount,
    read_mounts,
    within,
)
from jupyter_gpuquota.core.requests.quantities import OBJECT, PATH, size_quantity
from jupyter_gpuquota.errors import FieldError
from jupyter_gpuquota.model.pods import ContainerRules
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.model.volumes.volumes import StorageClass, Volume

NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True)
PARTS = st.text(
    st.characters(exclude_characters="/:\x7f", min_codepoint=0x20, exclude_categories=["Cs"]),
    min_size=1,
    max_size=12,
).filter(lambda part: part not in {".", ".."})
PATHS = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))
SIZES = st.integers(1, 2**40).map(lambda mib: mib << 20)
SESSIONS = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)

KNOWN = {
    "scans": Volume(name="scans", project="team-a", actions=("mount",)),
    "fixed": Volume(name="fixed", project="team-a", actions=("mount",), read_only=True),
    "gone": Volume(name="gone", project="team-a", actions=("mount",), state="lost"),
    "hidden": Volume(name="hidden", project="team-a"),
    "exp-new": Volume(name="exp-new", project="team-a", actions=("mount",)),
}
FACTS = VolumeFacts(volumes=tuple(KNOWN.values()), classes=(StorageClass(name="disk"),))
PODS = ContainerRules(host_paths=("/host",))
USABLE = {"scans", "fixed", "exp-new"}
PLACES = ("/scans", "/scans/deep", "/etc", "/new", "/srv", "/a/srv", "/run/x")
TEXTS = st.one_of(
    st.builds(
        "{}:{}{}".format,
        st.sampled_from([*KNOWN, "unknown", "/host"]),
        st.sampled_from(PLACES),
        st.sampled_from(["", ":ro", ":rw"]),
    ),
    st.builds(
        "{}:{}:{}".format,
        st.sampled_from(["", "disk", "tape"]),
        st.sampled_from(["1Gi", "0", "", "much"]),
        st.sampled_from(PLACES),
    ),
)


@given(NAMES, PATHS, st.sampled_from(["", "ro", "rw"]))
def test_a_volume_is_read_as_it_was_written(name: str, path: str, how: str) -> None:
    mount = parse_mount(":".join(filter(None, (name, path, how))), "exp")
    assert mount == Mount(volume=name, path=path, read_only=how == "ro")
    assert parse_mount(mount_text(mount), "exp") == mount


@given(st.one_of(st.just(""), NAMES), SIZES, PATHS, SESSIONS)
@example("", 1 << 20, "/-", "a" * 63)
@example("disk", 1 << 20, "/ä", "exp")
def test_a_new_volume_is_read_as_it_was_written(
    chosen: str, size: int, path: str, session: str
) -> None:
    text = f"{chosen}:{size_quantity(size)}:{path}"
    reader = FieldReader()
    facts = VolumeFacts(classes=(StorageClass(name=chosen),) if chosen else ())
    [mount] = read_mounts([text], session, facts, ContainerRules(reserved=()), reader)
    assert (mount.path, mount.storage_class, mount.size) == (path, chosen, size)
    assert OBJECT.fullmatch(mount.volume)
    assert len(mount.volume) <= NAME_LIMIT
    assert [error.key for error in reader.errors] in ([], ["pod.path"])


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
@example("scans", "/a", "/b")
@example("", "", "")
def test_whatever_is_written_becomes_a_mount_or_a_mistake(a: str, b: str, c: str) -> None:
    for text in (a, f"{a}:{b}", f"{a}:{b}:{c}"):
        reader = FieldReader()
        for mount in read_mounts([text], "exp", FACTS, None, reader):
            assert PATH.fullmatch(mount.path)
            assert bool(mount.volume) != bool(mount.host_path)
        assert {error.field for error in reader.errors} <= {"volumes[0]"}
        assert all(error.message and error.hint for error in reader.errors)


@given(st.lists(TEXTS, max_size=4), st.sampled_from([None, PODS]))
@example([":1Gi:/srv", ":1Gi:/a/srv"], None)
@example(["bad", ":0:/srv"], PODS)
def test_every_conflict_is_found_and_nothing_else(
    texts: list[str], containers: ContainerRules | None
) -> None:
    reader = FieldReader()
    read_mounts(texts, "exp", FACTS, containers, reader)
    assert {error.field for error in reader.errors} == {
        f"volumes[{i}]"
        for i, text in enumerate(texts)
        if conflicts(text, texts[:i], in_pods=containers is not None)
    }, said(reader.errors)


def conflicts(text: str, before: Sequence[str], *, in_pods: bool) -> bool:
    """Return whether a request is wrong after others, by rules written down once more."""
    mount = parse_mount(text, "exp")
    if mount is None:
        return True
    others = [other for each in before if (other := parse_mount(each, "exp"))]
    middle = text.split(":")[1]
    if mount.size:
        wrong = middle != "1Gi" or text.startswith("tape") or mount.volume == "exp-new"
        # A new volume whose size is wrong has no other conflicts of its name.
        sized = [o for o, each in zip(others, before, strict=False) if ":1Gi:" in each]
        wrong = wrong or any(o.volume == mount.volume and o.path != mount.path for o in sized)
    elif mount.host_path:
        wrong = not in_pods
    else:
        wrong = mount.volume not in USABLE or (mount.volume == "fixed" and not mount.read_only)
    paths = [other.path for other in others]
    nested = any(within(mount.path, p) or within(p, mount.path) for p in paths if p != mount.path)
    both = any(
        o.volume == mount.volume and o.read_only != mount.read_only for o in others if mount.volume
    )
    return (
        wrong
        or mount.path in paths
        or is_reserved(mount.path, ContainerRules())
        or both
        or (nested and not in_pods)
    )


def said(errors: Sequence[FieldError]) -> str:
    return "; ".join(f"{error.field}: {error.message}" for error in errors)


@given(SESSIONS, PATHS)
def test_the_name_of_a_new_volume_is_that_of_any_volume(session: str, path: str) -> None:
    reader = FieldReader()
    reader.name("name", new_name(session, path), "scratch")
    assert reader.errors == []
