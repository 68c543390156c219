"""Kueue: queues, borrowing and preemption among ClusterQueues (`kueue.x-k8s.io/v1beta2`)."""
