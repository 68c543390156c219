"""A storage driver for tests: volumes and snapshots are folders of this machine, really copied.

It does what the provisioner, the resizer and the snapshotter of a CSI driver do beside the API
server. Nothing is mounted, so there is no gRPC: pods that are real processes see the folders.
"""
