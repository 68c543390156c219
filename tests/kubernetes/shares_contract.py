"""What every share provider promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import FieldError
from jupyter_gpuquota.kubernetes.shares.gpu_node import GpuNode
from jupyter_gpuquota.kubernetes.shares.provider import Grant, ShareProvider
from jupyter_gpuquota.kubernetes.shares.registry import Choice, Shares
from jupyter_gpuquota.model.resources import MILLI, Share

FORMS = st.one_of(
    st.builds(Share, milli=st.integers(1, 999), compute=st.sampled_from([0, 0, 5, 50, 100])),
    st.builds(Share, milli=st.integers(1, 20).map(lambda count: count * MILLI)),
    st.builds(Share, milli=st.integers(MILLI + 1, 20 * MILLI)),
    st.builds(Share, memory=st.integers(1, 100_000), compute=st.sampled_from([0, 0, 5, 50])),
    st.builds(Share, mig=st.sampled_from(["1g.5gb", "2g.10gb", "3g.20gb", "7g.80gb"])),
)
"""Shares as `core.requests.shares` reads them."""


class ShareContract:
    """The contract of a provider: `provider`, on `node`, which has GPUs that it shares."""

    provider: ShareProvider
    node: GpuNode
    given_share: Share
    too_much: Share

    def grant(self, share: Share) -> Grant | None:
        return self.provider.grant(share, self.node)

    def test_it_knows_its_nodes(self) -> None:
        assert self.provider.offers(self.node)
        assert not self.provider.offers(GpuNode(name="cpu", resources={"cpu": 8}))

    def test_it_gives_what_it_is_for(self) -> None:
        assert self.grant(self.given_share)

    def test_it_refuses_the_rest_with_the_most_that_there_is(self) -> None:
        assert self.grant(self.too_much) is None
        refusal = self.provider.refusal(self.too_much, [self.node])
        assert refusal is not None
        assert refusal.field in {"gpu", "gpu_memory", "gpu_compute", "mig_profile"}
        assert refusal.hint

    def test_a_grant_is_never_less_than_the_request(self) -> None:
        @given(share=FORMS)
        def check(share: Share) -> None:
            if grant := self.grant(share):
                assert grant.milli >= share.milli
                assert memory_of(grant, self.node) >= share.memory
                assert grant.share.wants_gpu
                assert not share.mig or grant.share.mig == share.mig

        check()

    def test_a_grant_is_granted_as_it_is(self) -> None:
        @given(share=FORMS)
        def check(share: Share) -> None:
            if grant := self.grant(share):
                assert self.grant(grant.share) == grant

        check()

    def test_a_grant_costs_what_its_resource_costs(self) -> None:
        """So a pod costs the same, whether it is a session or not."""

        @given(share=FORMS)
        def check(share: Share) -> None:
            if grant := self.grant(share):
                assert grant.milli == self.node.milli(grant.resource, grant.units)
                assert 0 < grant.units <= self.node.resources[grant.resource]

        check()

    def test_a_share_is_given_or_refused(self) -> None:
        @given(share=FORMS)
        def check(share: Share) -> None:
            choice = chosen(share, [self.node], self.provider.name)
            if isinstance(choice, Choice):
                assert choice.patch().milli == choice.grant.milli
            else:
                assert (choice.field, choice.key) != ("", "")

        check()

    def test_the_patch_requests_the_resource(self) -> None:
        grant = self.grant(self.given_share)
        assert grant
        self.check_request(grant)

    def check_request(self, grant: Grant) -> None:
        """Check that the patch of a grant requests it; some schedulers read annotations instead."""
        assert self.provider.render(grant).resources[grant.resource] == str(grant.units)

    def test_what_isolates_is_stated(self) -> None:
        isolation = self.provider.isolation()
        assert isolation is not None
        unlimited = isolation.memory == "none" and isolation.compute == "none"
        assert unlimited == (not isolation.scope)
        assert bool(isolation.note) or isolation.memory in {"enforced", "hardware"}


def memory_of(grant: Grant, node: GpuNode) -> int:
    """Return the MiB that a grant comes to on a node."""
    if grant.resource in node.profiles:
        return node.profiles[grant.resource].memory
    return grant.share.memory or node.memory * grant.milli // MILLI


def chosen(share: Share, nodes: Sequence[GpuNode], *names: Any) -> Choice | FieldError:
    return Shares(names).choose(share, nodes)
