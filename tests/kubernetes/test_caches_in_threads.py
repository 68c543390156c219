"""Caches change in the event loop while other threads read them, and what is computed from them."""

from __future__ import annotations

import threading

from jupyter_gpuquota.kubernetes.watching.cache import Cache
from jupyter_gpuquota.kubernetes.watching.derived import Derived
from tests.kubernetes.sights import pod

ROUNDS = 20_000


def test_an_object_that_changes_is_never_missing() -> None:
    cache, done = Cache[object](), threading.Event()
    cache.put(pod("a"))
    missing: list[int] = []

    def read() -> None:
        while not done.is_set():
            missing.append(1 - len(cache.values()))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(ROUNDS):
        cache.put(pod("a"))
    done.set()
    reader.join()
    assert missing
    assert not any(missing)


def test_what_was_computed_from_an_earlier_state_is_not_kept() -> None:
    state = ["before"]

    def compute() -> str:
        seen = state[0]
        if seen == "before":  # the event loop goes on meanwhile
            state[0] = "after"
            derived.outdate()
        return seen

    derived = Derived(compute)
    assert derived.value == "before"
    assert derived.value == "after"


def test_a_value_is_computed_once_for_each_change() -> None:
    computed: list[int] = []
    derived = Derived(lambda: computed.append(1) or len(computed))
    assert (derived.value, derived.value) == (1, 1)
    derived.outdate()
    assert (derived.value, derived.value) == (2, 2)


def test_what_is_read_again_unchanged_is_no_change() -> None:
    cache, told = Cache[object](), []
    cache.subscribe(told.append)
    one, other = pod("a"), pod("b")
    cache.replace("", {each.key: each for each in (one, other)})
    cache.replace("", {each.key: each for each in (one, other)})
    assert told == [{one.key, other.key}]
    cache.replace("", {one.key: one})
    assert told[1:] == [{other.key}]
