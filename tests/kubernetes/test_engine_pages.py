"""The manifests in `docs/engines` are what the product makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.builders.volumes import claim_template
from tests.kubernetes.engine_pages import (
    PAGES,
    REQUESTS,
    SESSION,
    documented,
    made,
    manifests,
    patch_of,
)


@pytest.mark.parametrize("page", REQUESTS)
def test_a_page_shows_what_a_session_requests(page: str) -> None:
    assert documented(page) == made(REQUESTS[page])


def test_the_page_of_claims_shows_their_template() -> None:
    shown = [each for each in manifests("dra") if each["kind"] == "ResourceClaimTemplate"]
    template = claim_template(SESSION, patch_of(REQUESTS["dra"]))
    meta = {"name": template["metadata"]["name"]}
    assert shown == [{**template, "metadata": meta}]


def test_every_page_has_a_request_and_says_what_isolates() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert pages.keys() == REQUESTS.keys()
    assert all("solation" in text and "nstall" in text for text in pages.values())


@pytest.mark.parametrize("page", REQUESTS)
def test_every_object_of_a_page_has_a_name(page: str) -> None:
    found: list[Mapping[str, Any]] = list(manifests(page))
    assert found
    assert all(each["metadata"]["name"] for each in found)
