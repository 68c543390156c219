"""Pods as real processes of this machine: what the kubelet and a container runtime do elsewhere."""
