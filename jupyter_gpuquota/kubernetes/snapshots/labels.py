"""Labels and annotations of the objects of snapshots."""

from __future__ import annotations

from ..labels import DOMAIN

SNAPSHOT = f"{DOMAIN}/snapshot"
"""Label of all objects of a snapshot, and of the claims that are restored from it: its order."""
SNAPSHOT_OWNER = f"{DOMAIN}/snapshot-owner"
"""Label of the same objects: a hash of the owner's name."""
SNAPSHOT_CLAIM = f"{DOMAIN}/snapshot-claim"
"""Annotation of a restored or cloned claim: the claim whose content it has."""
CLAIM_OWNER = f"{DOMAIN}/owner"
"""Annotation of a restored claim, as of other volumes: its owner."""
GROUPED = f"{DOMAIN}/grouped-"
"""Begins the label by which a group selects claims; the id of the order follows."""
SELECTED_NODE = "volume.kubernetes.io/selected-node"
"""Annotation, by Kubernetes, of a claim of a class that waits for a pod: the node of that pod."""
