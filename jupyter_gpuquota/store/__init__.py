"""The content store of datasets and snapshots: manifests, packs and objects in a lake."""
