"""The environment of a snapshot: what it takes to make it again, and how another one differs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urlsplit

from packaging.utils import canonicalize_name

from ...model.datasets.versions import SHOWN
from ...model.snapshots.manifest import EnvironmentPart, PackageSource
from ...model.snapshots.snapshots import EnvironmentFiles

_TORCH = re.compile(r"\+((?:cu|rocm|cpu|xpu)[0-9.]*)$")
_TORCH_INDEX = "https://download.pytorch.org/whl/"
_OF_TORCH = frozenset({"torch", "torchvision", "torchaudio"})
"""Packages whose builds for one version of CUDA are in an index of their own."""
_SCP = re.compile(r"(?P<who>[\w.-]+@)?(?P<host>[\w.-]+):(?P<path>[^/].*)")
"""An address of ssh as git writes it."""
_FEW = 5
"""Packages that are named of each kind."""
_SUFFIX = "-env"


def files(environment: EnvironmentPart) -> EnvironmentFiles | None:
    """Return what it takes to make an environment again, None where nothing is known of it."""
    if not environment.packages or environment.image:
        return None
    version, kind = environment.python, environment.implementation.lower()
    return EnvironmentFiles(
        python=version if kind in {"", "cpython"} else f"{kind}@{version}",
        requirements=tuple(_requirements(environment)),
        explicit=tuple(_explicit(environment)),
    )


def _requirements(environment: EnvironmentPart) -> Iterator[str]:
    """Yield the lines of a file of requirements, without what conda has installed."""
    by_conda = {
        (canonicalize_name(name), each.version)
        for each in environment.conda
        for name in each.provides
    }
    versions = {
        name: version
        for name, version in environment.packages.items()
        # Of what pip has replaced, conda's records still have the former version.
        if (canonicalize_name(name), version) not in by_conda
    }
    yield from _indexes(versions)
    for name, version in versions.items():
        source = environment.sources.get(name)
        yield _requirement(name, source) if source else f"{name}=={version}"


def _indexes(versions: Mapping[str, str]) -> list[str]:
    """Return the lines that name the indexes of builds for one version of CUDA."""
    of_torch = (version for name, version in versions.items() if name.lower() in _OF_TORCH)
    kinds = {found[1] for version in of_torch if (found := _TORCH.search(version))}
    return [f"--extra-index-url {_TORCH_INDEX}{kind}" for kind in sorted(kinds)]


def _requirement(name: str, source: PackageSource) -> str:
    """Return the line of a package that came from elsewhere than an index (PEP 508)."""
    below = f"#subdirectory={source.subdirectory}" if source.subdirectory else ""
    if source.vcs:
        return f"{name} @ {source.vcs}+{_address(source.url)}@{source.commit}{below}"
    if source.remote and source.commit:
        return f"{name} @ git+{_address(source.remote)}@{source.commit}{below}"
    if source.editable:
        return f"-e {unquote(urlsplit(source.url).path)}"
    return f"{name} @ {source.url}{f'#sha256={source.sha256}' if source.sha256 else below}"


def _address(url: str) -> str:
    """Return an address of git as installers want it."""
    if "://" in url:
        return url
    if found := _SCP.fullmatch(url):
        return f"ssh://{found['who'] or ''}{found['host']}/{found['path']}"
    return f"file://{url}" if url.startswith("/") else url


def _explicit(environment: EnvironmentPart) -> Iterator[str]:
    """Yield the lines of a file for `conda create`, none without conda."""
    urls = [(each.url, each.md5) for each in environment.conda if each.url]
    if urls:
        yield "@EXPLICIT"
    yield from (f"{url}#{md5}" if md5 else url for url, md5 in urls)


def facts(environment: EnvironmentPart, other: EnvironmentPart) -> dict[str, str]:
    """Return each package with its version and build, as far as those of the other one are known.

    Manifests of earlier versions have versions only.
    """
    is_known = bool(environment.implementation and other.implementation)
    found: dict[str, str] = {}
    for name, version in environment.packages.items():
        source = environment.sources.get(name) if is_known else None
        changes = " with changes" if source and source.dirty else ""
        commit = f" ({source.commit[:SHOWN]}{changes})" if source and source.commit else ""
        found[canonicalize_name(name)] = f"{version}{commit}"
    for each in environment.conda if is_known else ():
        if not any(canonicalize_name(name) in found for name in each.provides):
            found[f"{each.name} (conda)"] = f"{each.version} {each.build}".strip()
    return found


def differences(then: EnvironmentPart, now: EnvironmentPart) -> list[str]:
    """Return in a few sentences how an environment differs from that of a snapshot."""
    old, new = facts(then, now), facts(now, then)
    changed = [
        f"{name} {new[name]} (was {old[name]})"
        for name in sorted(old.keys() & new.keys())
        if old[name] != new[name]
    ]
    gone = [f"{name} {old[name]}" for name in sorted(old.keys() - new.keys())]
    added = [f"{name} {new[name]}" for name in sorted(new.keys() - old.keys())]
    said = []
    if then.python and _python(then, now) != _python(now, then):
        said.append(f"Python is {_python(now, then)} now; it was {_python(then, now)}.")
    said += _named("Other versions of packages are there now", changed)
    said += _named("Packages are missing now", gone)
    said += _named("Packages are there that were not", added)
    return said


def _python(environment: EnvironmentPart, other: EnvironmentPart) -> str:
    kind = environment.implementation if other.implementation else ""
    return f"{kind} {environment.python}".strip()


def _named(what: str, packages: list[str]) -> list[str]:
    """Return a sentence with the number of packages and the first of them, none without any."""
    more = f" and {len(packages) - _FEW} more" if len(packages) > _FEW else ""
    first = ", ".join(packages[:_FEW])
    return [f"{what} ({len(packages)}): {first}{more}."] if packages else []


def commands(snapshot: str, environment: EnvironmentPart, folder: str) -> tuple[str, ...]:
    """Return the commands that restore with the packages of a snapshot, in a new environment.

    `folder` is that of the restored files. There are none where nothing is known of packages.
    """
    found = files(environment)
    if found is None:
        return ()
    restore = f"jupyter gpu snapshot restore {snapshot}"
    target = shlex.quote(f"{folder}{_SUFFIX}")
    if not found.explicit:
        return (f"{restore} --make-environment {target}",)
    pip = (
        f"jupyter gpu snapshot environment {snapshot} --pip > requirements.txt",
        f"{target}/bin/python -m pip install --no-deps -r requirements.txt",
    )
    return (
        f"jupyter gpu snapshot environment {snapshot} > conda.txt",
        f"conda create --prefix {target} --file conda.txt",
        *(pip if found.requirements else ()),
        f"{restore} --environment {target}",
    )
