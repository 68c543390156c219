"""Open panels of a cluster's sessions: what they ask for while they are open.

`python -m benchmarks.clients.panels typed KUBECONFIG COUNT SECONDS NAMESPACE …` is the peer: a web
application that asks the API server for each request, with the official client.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .http import Caller

NOUNS = ("/sessions", "/quota", "/nodes")
EVERY = 10.0
"""Seconds between two looks of the peer: it does not learn of changes."""


def ours(connect: Callable[[], Caller], count: int, seconds: float) -> int:
    """Keep panels open: each waits for changes and reads again. Return how often they read."""
    until, reads = time.monotonic() + seconds, [0] * count

    def panel(number: int) -> None:
        caller, etags = connect(), dict.fromkeys(NOUNS, "")
        since = instance = ""
        while time.monotonic() < until:
            for noun in NOUNS:
                told = {"If-None-Match": etags[noun]} if etags[noun] else {}
                status, headers, _ = caller.request("GET", noun, headers=told)
                etags[noun] = headers["ETag"] or "" if status == 200 else etags[noun]
                reads[number] += 1
            wait = f"/changes?since={since}&instance={instance}&timeout=5"
            found: dict[str, Any] = caller.get(wait)
            since, instance = str(found["latest"]), found["instance"]
        caller.close()

    _at_once([partial(panel, number) for number in range(count)])
    return sum(reads)


def typed(kubeconfig: str, count: int, seconds: float, namespaces: Sequence[str]) -> int:
    """Ask as Kubeflow's web application for notebooks does: review, lists, for each request."""
    from kubernetes import client, config  # noqa: PLC0415 (of the peer only)

    load: Any = config.load_kube_config
    load(kubeconfig)
    until, reads = time.monotonic() + seconds, [0] * count

    def panel(number: int) -> None:
        shared = client.ApiClient()
        core, apps = client.CoreV1Api(shared), client.AppsV1Api(shared)
        rights = client.AuthorizationV1Api(shared)
        namespace = namespaces[number % len(namespaces)]
        attributes = {"namespace": namespace, "verb": "list", "resource": "statefulsets"}
        asked: Any = {"spec": {"user": "ana", "resourceAttributes": attributes}}
        time.sleep(EVERY * number / count)
        while time.monotonic() < until:
            rights.create_subject_access_review(asked)
            apps.list_namespaced_stateful_set(namespace)
            core.list_namespaced_pod(namespace)
            core.list_namespaced_event(namespace)
            reads[number] += 1
            time.sleep(EVERY)

    _at_once([partial(panel, number) for number in range(count)])
    return sum(reads)


def _at_once(work: Sequence[Callable[[], None]]) -> None:
    """Do things in threads; raise what one of them raises."""
    problems: list[Exception] = []

    def guarded(do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as problem:  # noqa: BLE001 (raised below, in the caller's thread)
            problems.append(problem)

    threads = [threading.Thread(target=guarded, args=(do,)) for do in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


if __name__ == "__main__":
    _, _way, where, panels, lasts, *spaces = sys.argv
    print(typed(where, int(panels), float(lasts), spaces))
