"""The Helm chart, and what real Helm renders of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from scripts import programs

DEPLOY = Path(__file__).parents[2] / "deploy"
CHART = DEPLOY / "chart"
IMAGE = {"repository": "example.org/gpuquota", "tag": "1"}
PEOPLE = {"members": [{"group": "hub:ml"}], "leads": [{"user": "hub:li"}]}
ENGINES = ("", "kueue", "kai", "resourcequota")
VERSION = "v1.36.0"
"""The version of Kubernetes that the chart is rendered for."""


def helm(*words: str, values: Mapping[str, Any] | None = None) -> str:
    """Return what Helm prints; fail with its words."""
    given = () if values is None else ("--values=-",)
    done = subprocess.run(
        [programs.ensure_built(programs.HELM), *words, *given],
        input=None if values is None else json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def values(*projects: str, **more: Any) -> dict[str, Any]:
    """Return values with a team of two GPUs each."""
    teams = [{"name": each, "quota": 2, **PEOPLE} for each in projects]
    return {"image": IMAGE, "projects": teams, **more}


def rendered(*projects: str, version: str = VERSION, **more: Any) -> list[Any]:
    """Return the objects of the chart."""
    out = _rendered(version, json.dumps(values(*projects, **more)))
    return [each for each in yaml.safe_load_all(out) if each]


@cache
def _rendered(version: str, given: str) -> str:
    """Return the chart with values in JSON: Helm takes a second, and many tests have the same."""
    flags = (f"--kube-version={version}", "--namespace=jupyterhub")
    return helm("template", "gpuquota", str(CHART), *flags, values=json.loads(given))


def configured(*projects: str, **more: Any) -> Mapping[str, str]:
    """Return the files that the controller finds in its configuration."""
    [found] = [
        each
        for each in rendered(*projects, **more)
        if (each["kind"], each["metadata"]["name"]) == ("ConfigMap", "gpuquota")
    ]
    data: Mapping[str, str] = found["data"]
    return data
