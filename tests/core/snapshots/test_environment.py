"""The environment of a snapshot: how it is made again, and how another one differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from packaging.requirements import Requirement

from jupyter_gpuquota.core.snapshots import environment
from jupyter_gpuquota.model.snapshots.manifest import (
    CondaPackage,
    EnvironmentPart,
    PackageSource,
)

COMMIT = "9c1f0b7d2e449c1f0b7d2e449c1f0b7d2e449c1f"
PLAIN = EnvironmentPart(
    python="3.11.4",
    implementation="CPython",
    prefix="/envs/exp",
    packages={"numpy": "1.26.4", "tomli": "2.0.0"},
)
NUMPY = CondaPackage(
    name="numpy",
    version="1.26.4",
    build="py311_0",
    url="https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py311_0.conda",
    md5="0" * 32,
    provides=("numpy",),
)
CUDA = CondaPackage(name="cudatoolkit", version="11.8", build="h1", url="https://c/cuda.conda")


def requirements(name: str, source: PackageSource, version: str = "1.0") -> tuple[str, ...]:
    made = replace(PLAIN, packages={name: version}, sources={name: source})
    found = environment.files(made)
    assert found
    return found.requirements


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (
            PackageSource(url="https://github.com/a/b.git", vcs="git", commit=COMMIT),
            f"x @ git+https://github.com/a/b.git@{COMMIT}",
        ),
        (
            PackageSource(
                url="https://github.com/a/b", vcs="git", commit=COMMIT, subdirectory="pkg"
            ),
            f"x @ git+https://github.com/a/b@{COMMIT}#subdirectory=pkg",
        ),
        (
            PackageSource(url="https://h/x-1.0-py3-none-any.whl", sha256="ab"),
            "x @ https://h/x-1.0-py3-none-any.whl#sha256=ab",
        ),
        (
            PackageSource(
                url="file:///home/ana/x",
                editable=True,
                commit=COMMIT,
                remote="git@github.com:ana/x.git",
                subdirectory="py",
            ),
            f"x @ git+ssh://git@github.com/ana/x.git@{COMMIT}#subdirectory=py",
        ),
        (
            PackageSource(
                url="file:///home/ana/x", editable=True, commit=COMMIT, remote="/srv/x.git"
            ),
            f"x @ git+file:///srv/x.git@{COMMIT}",
        ),
        (PackageSource(url="file:///home/ana/my%20x", editable=True), "-e /home/ana/my x"),
        (
            PackageSource(url="file:///home/ana/x", editable=True, commit=COMMIT),
            "-e /home/ana/x",
        ),
        (PackageSource(url="file:///home/ana/x"), "x @ file:///home/ana/x"),
    ],
)
def test_a_package_is_required_from_where_it_came(source, line):
    assert requirements("x", source) == (line,)
    if not line.startswith("-e"):
        assert Requirement(line).name == "x"


@given(
    packages=st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_.-]{0,8}[a-z0-9]", fullmatch=True),
        st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}(rc[0-9])?", fullmatch=True),
        min_size=1,
        max_size=5,
    )
)
def test_every_package_of_an_index_is_required_with_its_version(packages):
    found = environment.files(replace(PLAIN, packages=packages))
    assert found
    read = [Requirement(line) for line in found.requirements]
    assert {each.name: str(each.specifier) for each in read} == {
        name: f"=={version}" for name, version in packages.items()
    }


def test_builds_for_one_version_of_cuda_name_their_index():
    made = replace(PLAIN, packages={"torch": "2.4.0+cu121", "torchvision": "0.19.0+cu121"})
    found = environment.files(made)
    assert found
    assert found.requirements == (
        "--extra-index-url https://download.pytorch.org/whl/cu121",
        "torch==2.4.0+cu121",
        "torchvision==0.19.0+cu121",
    )


def test_what_conda_has_installed_is_left_to_conda():
    found = environment.files(replace(PLAIN, conda=(NUMPY, CUDA)))
    assert found
    assert found.requirements == ("tomli==2.0.0",)
    assert found.explicit == ("@EXPLICIT", f"{NUMPY.url}#{NUMPY.md5}", CUDA.url)


def test_what_pip_has_replaced_is_left_to_pip():
    made = replace(PLAIN, packages={"numpy": "2.0.0"}, conda=(NUMPY,))
    found = environment.files(made)
    assert found
    assert found.requirements == ("numpy==2.0.0",)


@pytest.mark.parametrize("fields", [{"packages": {}}, {"image": "ghcr.io/a/b"}])
def test_of_an_image_and_of_unknown_packages_nothing_is_made(fields):
    assert environment.files(replace(PLAIN, **fields)) is None
    assert environment.commands("5a5a", replace(PLAIN, **fields), "/new") == ()


def test_other_pythons_are_named_as_uv_knows_them():
    found = environment.files(replace(PLAIN, implementation="PyPy", python="3.10.14"))
    assert found
    assert found.python == "pypy@3.10.14"


def test_an_equal_environment_does_not_differ():
    assert environment.differences(PLAIN, PLAIN) == []
    spelled = replace(PLAIN, packages={"NumPy": "1.26.4", "tomli": "2.0.0"})
    assert environment.differences(PLAIN, spelled) == []


def test_what_differs_is_said_in_few_sentences():
    then = replace(PLAIN, packages={f"p{n}": "1" for n in range(8)} | {"old": "1"})
    now = replace(PLAIN, python="3.12.1", packages={f"p{n}": "2" for n in range(8)} | {"new": "3"})
    assert environment.differences(then, now) == [
        "Python is CPython 3.12.1 now; it was CPython 3.11.4.",
        "Other versions of packages are there now (8): p0 2 (was 1), p1 2 (was 1), p2 2 (was 1), "
        "p3 2 (was 1), p4 2 (was 1) and 3 more.",
        "Packages are missing now (1): old 1.",
        "Packages are there that were not (1): new 3.",
    ]


def test_commits_and_builds_count_where_both_sides_know_them():
    source = PackageSource(url="file:///x", editable=True, commit=COMMIT)
    then = replace(PLAIN, sources={"tomli": source}, conda=(CUDA,))
    now = replace(
        PLAIN,
        sources={"tomli": replace(source, commit="f" * 40)},
        conda=(replace(CUDA, build="h2"),),
    )
    assert environment.differences(then, now) == [
        "Other versions of packages are there now (2): cudatoolkit (conda) 11.8 h2 (was 11.8 h1), "
        "tomli 2.0.0 (ffffffffffff) (was 2.0.0 (9c1f0b7d2e44))."
    ]


def test_a_manifest_of_an_earlier_version_is_compared_by_versions_alone():
    earlier = EnvironmentPart(python="3.11.4", packages=PLAIN.packages)
    now = replace(PLAIN, sources={"tomli": PackageSource(url="u", commit=COMMIT)}, conda=(CUDA,))
    assert environment.differences(earlier, now) == []
    assert environment.files(earlier)


def test_the_commands_make_the_environment_again():
    assert environment.commands("5a5a", PLAIN, "/home/my new") == (
        "jupyter gpu snapshot restore 5a5a --make-environment '/home/my new-env'",
    )
    by_conda = environment.commands("5a5a", replace(PLAIN, conda=(NUMPY,)), "/new")
    assert by_conda == (
        "jupyter gpu snapshot environment 5a5a > conda.txt",
        "conda create --prefix /new-env --file conda.txt",
        "jupyter gpu snapshot environment 5a5a --pip > requirements.txt",
        "/new-env/bin/python -m pip install --no-deps -r requirements.txt",
        "jupyter gpu snapshot restore 5a5a --environment /new-env",
    )
